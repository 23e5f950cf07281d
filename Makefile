# Every word is a row of binder/local.py, which also runs where there is no make:
#     python binder/local.py test          (Windows: py -X utf8 binder\local.py test)
# Add arguments with ARGS:  make test ARGS="-k hooks"     make lab ARGS=zh
PYTHON ?= python3

.PHONY: lab test check notebooks site bench gpu fuzz mutants parity fix wheels handouts
lab test check notebooks site bench gpu fuzz mutants parity fix wheels handouts:
	@$(PYTHON) binder/local.py $@ $(ARGS)
