# The commands of README.md and CONTRIBUTING.md. The work is in scripts/ and xtask/.

.DEFAULT_GOAL := help
.PHONY: help run test setup install bench codegen fmt

help: ## Say what can be made
	@sed -n 's/^\([a-z]*\):.*## /\1	/p' Makefile | while IFS='	' read -r name text; do \
		printf 'make %-9s%s\n' "$$name" "$$text"; done

run: ## Build baton and show a demo session
	@scripts/setup run
	@scripts/run

test: ## Set the machine up and run every check
	@scripts/setup test
	@scripts/test

setup: ## Install and fetch what the other commands need
	@scripts/setup test

install: ## Put an optimised baton into cargo's folder for programs
	@scripts/setup run
	@scripts/web build
	@cargo install --locked --profile quick --path crates/baton

bench: ## Run the benchmarks of all crates
	@scripts/setup run
	@scripts/web build
	@scripts/setup-claude >/dev/null
	@scripts/setup-clients bench >/dev/null
	@cargo xtask bench

codegen: ## Write the generated files anew
	@cargo xtask codegen
	@UPDATE_EXPECT=1 cargo test --quiet -p baton --bin baton committed_as_generated
	@scripts/web gen

fmt: ## Format the code
	@cargo fmt --all
