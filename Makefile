# Verbs for people; `make` alone lists them. The work is done by cmake and scripts/.

.DEFAULT_GOAL := help

# Variables that the scripts read: given on the command line or in the environment.
export LLAMA_DIR CMAKE_ARGS MODEL PORT ARGS

llama := $(or $(HLG_LLAMA_DEST),$(CURDIR)/build/llama.cpp)

help: ## list the verbs
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1|\2/p' Makefile | \
	while IFS='|' read -r verb text; do printf '%-20s %s\n' "$$verb" "$$text"; done

build: configure ## build the program and the library (CMAKE_ARGS="-D...", LLAMA_DIR=a copy)
	@[ -e build/bin/hlg ] || echo "hlg: building (first time: 5 to 8 minutes on 2 cores)"
	@scripts/ninja

serve: ## build what is missing and serve a model (MODEL=name or path, PORT=8080, ARGS="flags")
	@scripts/serve

demo: build ## temperature beside HLG on one prompt (MODEL=name or path, ARGS="--help")
	@scripts/demo $(ARGS)

test: build ## run the tests
	@scripts/test

gate: build ## is neutral HLG llama.cpp's own sampling, bit for bit? (ARGS="path/to/model.gguf")
	@scripts/gate $(ARGS)

check: packages ## the library under sanitizers, fuzzed, with one lane, and for aarch64 (ARGS="asan")
	@scripts/check $(ARGS)

fuzz: llama ## rows and settings made up by libFuzzer, under sanitizers (ARGS="--seconds 60 row")
	@scripts/fuzz $(ARGS)

lint: build ## clang-format, clang-tidy, shellcheck, ruff (ARGS="python")
	@scripts/packages --lint
	@scripts/lint $(ARGS)

bench: ## measure a token's cost beside llama.cpp's samplers (ARGS="models"); idle machine
	@scripts/bench $(ARGS)

bench-server: build ## what HLG costs in the server, on against off (ARGS="--help"); idle machine
	@scripts/bench-server $(ARGS)

lab: build ## what the curve does, in numbers, on SmolLM2: minutes (ARGS="--help")
	@scripts/lab $(ARGS)

lab-full: build ## the same on all test models, and more of it: hours
	@scripts/lab --full $(ARGS)

model: ## fetch a model and print its path (MODEL=name; without it: list the models)
	@scripts/fetch-model $(MODEL)

install: build ## install the program and the library (PREFIX=/usr/local)
	@cmake --install build --prefix "$(or $(PREFIX),/usr/local)" >build/install.log || \
		{ cat build/install.log >&2; exit 1; }
	@echo "hlg: installed in $(or $(PREFIX),/usr/local)"

clean: ## remove what was built; llama.cpp, the Python environments and build/lab* stay
	@[ ! -d build ] || find build -mindepth 1 -maxdepth 1 \
		! -name llama.cpp ! -name venv ! -name 'lab*' -exec rm -rf {} +

distclean: ## remove build/ altogether
	@rm -rf build

# Below: not for typing.

packages:
	@scripts/packages

llama: packages
	@scripts/setup-llama

configure: build/build.ninja

# One program of upstream's, for models that are made on this machine.
build/bin/llama-quantize: configure
	@scripts/ninja llama-quantize

# The cmake arguments of the last configure step. Others mean a configure step from scratch, for
# an argument that is gone must not live on in the cache.
build/.cmake-args: FORCE | llama
	@mkdir -p build
	@if [ ! -e $@ ]; then printf '%s' "$$CMAKE_ARGS" >$@; fi
	@if [ "$$CMAKE_ARGS" != "$$(cat $@)" ]; then \
		rm -f build/CMakeCache.txt; printf '%s' "$$CMAKE_ARGS" >$@; fi

build/build.ninja: build/.cmake-args
	@echo "hlg: configuring"
	@cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release "-DHLG_LLAMA_DIR=$(llama)" \
		$(CMAKE_ARGS) >build/configure.log 2>&1 || { grep -v '^-- ' build/configure.log >&2; \
		echo "hlg: cmake failed; all that it said is in build/configure.log" >&2; rm -f $@; exit 1; }
	@touch $@

FORCE:

.PHONY: help build install serve demo test gate check fuzz lint bench bench-server lab lab-full model clean distclean packages llama configure FORCE
.PHONY: build/bin/llama-quantize
