# SPDX-License-Identifier: Apache-2.0
# `make run` shows the product, `make test` proves it; both install what is missing.

SHELL := bash
# Where the release is built; another system's has its own.
BUILD ?= .build
# Exporting every symbol of a program that nothing is loaded into would cost 1.2 MB. Packed relocations need glibc 2.36 and binutils 2.38, which
# Debian 12 has; the linker that Swift takes by default does not know them. Everything is bound at the start and then read-only
# (.ci/link.ld). What is not called is left out by SwiftPM's own --gc-sections.
LINK := -Xlinker --no-export-dynamic -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now
LINK += $(shell ld.bfd -v 2>/dev/null | grep -q . && echo -Xswiftc -use-ld=bfd -Xlinker -z -Xlinker pack-relative-relocs \
	-Xlinker -T -Xlinker $(CURDIR)/.ci/link.ld)
# The programs say which commit they are, by their build ID: its name and a mark (Sources/Base/System/BuildID.swift). Without git, and
# where the sources are not those of the commit, they say "unknown".
COMMIT ?= $(shell git status --porcelain -- Sources Package.swift Makefile .ci/link.ld 2>&1 | grep -q . || git rev-parse HEAD)
LINK += $(if $(COMMIT),-Xlinker --build-id=0x$(COMMIT)$(shell printf stud | od -An -tx1 | tr -d ' '))
# Paths of this machine in C's assertions would make the programs differ.
RELEASE := --configuration release --static-swift-stdlib -Xcc -ffile-prefix-map=$(CURDIR)=. $(LINK)
PREFIX ?= /usr
DESTDIR ?=

.PHONY: run demo build release release-flags arm64 test vm-programs vm-test vm-test-all vm-test-arm64 large-test test-gpio2 ledger-test fleet-test scale-test journeys core-test crash-test crash-record fuzz damage mutants bench size presses pictures schema-studies translations adding lint format install setup clean commit deb deb-test image example trials

setup:
	@bash .ci/setup

# The whole agent on the simulated board, with you as the participant.
run: setup
	@[ -t 1 ] || quiet=--quiet; for product in study-receiver studyd studyd-tools; do swift build $$quiet --product $$product || exit; done
	@.build/debug/studyd-tools demo

# The same with a scripted participant; ends with the ledger.
demo: setup
	@bash .ci/demo

# TRIALS micro-randomised trials with a planted effect, exported and given to wcls of R's MRTAnalysis: docs/prove.md. Needs r-cran-geepack and
# r-cran-sandwich; the package's sources are fetched into .build and are no part of this project.
TRIALS ?= 100
MRTANALYSIS ?= .build/MRTAnalysis
trials: setup
	@swift build --quiet --product study-receiver
	@[ -d $(MRTANALYSIS) ] || git clone --quiet --depth 1 https://github.com/tqian/MRTAnalysis_R-package $(MRTANALYSIS)
	@bash Tests/Decisions/trials.sh $(TRIALS) $(MRTANALYSIS)

# The data of a whole study in EXAMPLE, a folder that must be new or empty: three participants and fourteen days, or two and two with SHORT=1.
EXAMPLE ?= .build/example
example: setup
	@for product in study-receiver studyd-tools; do swift build --configuration release --quiet --product $$product || exit; done
	@.build/release/studyd-tools make-study studies/sleep-and-movement.json $(if $(SHORT),--participants 2 --days 2) -o $(EXAMPLE)

build: setup
	@swift build

release: setup
	@swift build --scratch-path $(BUILD) $(RELEASE) --product studyd
	@swift build --scratch-path $(BUILD) $(RELEASE) --product study-receiver
	@swift build --scratch-path $(BUILD) $(RELEASE) --product studyd-tools

# The commit that the programs name; nothing where they name none.
commit:
	@echo $(COMMIT)

# One to a line, for the scripts that build elsewhere.
release-flags:
	@printf '%s\n' $(RELEASE)

# The same for Debian 13 on arm64, cross-built from Debian's packages alone and tried under emulation; docs/arm64.md.
arm64: setup
	@bash .ci/arm64

# STUDYD_PROGRAMS=FOLDER has the scenarios try the programs in there, such as a release; STUDYD_BUILD_FLAGS are the build's.
test: setup
	@swift build $(STUDYD_BUILD_FLAGS) --build-tests
	@bash Tests/run

# The release binary in QEMU, installed by `make install`, on a stock Debian kernel; `make vm-test SHORT=--short` is that of CI.
# What is missing is fetched from Debian: a minute or two, once. GUEST=trixie is Debian 13, compiled in a root of its own (ten minutes
# more, once); `make vm-test-all` is both, whole. PLAY="ntp parts" plays only these (Tests/vm/vmtest.py).
SHORT ?=
GUEST ?= bookworm
PLAY ?=
vm-programs: release
	@swift build --scratch-path $(BUILD) $(RELEASE) --product usb-i2c-adapter

vm-test: vm-programs
	@STUDYD_VM_GUEST=$(GUEST) bash Tests/vm/run $(SHORT) $(PLAY)

vm-test-all:
	@$(MAKE) --no-print-directory vm-test
	@$(MAKE) --no-print-directory vm-test GUEST=trixie

# A device of Debian 13 for arm64, as it is flashed: its image of packages, emulated whole; after `make deb ARCH=arm64`. docs/virtual-board.md.
vm-test-arm64: vm-programs
	@bash Tests/vm/run-arm64

# A hundred kills of the real process, and its ledger of samples against a count made outside it (ten in `make test`); then two hundred
# orderly ends, in which no sample and no occurrence may be unaccounted for (eight in `make test`).
KILLS ?= 100
STOPS ?= 200
ledger-test: setup
	@swift build --product studyd && swift build --product studyd-tools
	@python3 Tests/ScenarioTests/killed_ledger.py .build/debug/studyd $(KILLS)
	@python3 Tests/ScenarioTests/stopped_ledger.py .build/debug/studyd $(STOPS)
	@python3 Tests/ScenarioTests/early_stops.py .build/debug/studyd $(STOPS)

# Thirty agents on simulated boards against one study-receiver, eight of them harmed: 70 minutes, since devices report once an hour; then its page
# with 30 and 500 devices made of reports. FLEET=generated is the first in seconds, with such devices. Last results: docs/operating.md.
FLEET ?= agents
fleet-test: setup
	@for product in study-receiver studyd studyd-tools; do swift build --product $$product || exit; done
	@python3 Tests/fleet/fleet.py .build/debug scale
	@$${STUDYD_PYTHON:-python3} Tests/fleet/page.py .build/debug
	@python3 Tests/fleet/fleet.py .build/debug $(FLEET)

# A day of 1000 and 10 000 devices against one receiver, then to a bucket (docs/scale.md); the short form: make scale-test DEVICES=100
scale-test: setup
	@swift build --configuration release --product study-receiver --quiet
	@$${STUDYD_PYTHON:-python3} Tests/fleet/scale.py .build/release $(DEVICES)
	@$${STUDYD_PYTHON:-python3} Tests/fleet/bucket.py .build/release $(DEVICES)

# Five gigabytes to a bucket and onto a stick, with two megabytes of memory.
large-test: setup
	@swift build --build-tests --quiet
	@STUDYD_LARGE=1 swift test --skip-build --filter AgentTests.S3FaultTests 2>&1 | grep -a 'large:\|error\|Test run'

# The GPIO shim above libgpiod 1.6 and 2.x: that of this machine, and that of Debian 13 in a small root of its own.
test-gpio2: setup
	@bash Tests/mocks/test-gpio

# What an answer costs in presses and seconds on 1, 2, 3 and 5 buttons: docs/panel.md has some rows.
presses: setup
	@swift build --build-tests --quiet
	@STUDYD_PRESSES=1 swift test --skip-build --filter StudyTests.PressCostTests 2>/dev/null | grep '^|'

# Ten thousand enrolments in forty zones against the moments of schema's own code, and most of them as travelling devices (some hundred in
# `make test`); the last result stands in docs/schema.md.
journeys: setup
	@swift build --build-tests --quiet
	@STUDYD_JOURNEYS=1 swift test --skip-build --filter 'SchemaJourneysTests|ESMiraAppTests' 2>&1 | grep -a 'journeys\|error\|Test run'

# The pictures of the README, from a real run; needs Python's pyte (STUDYD_PYTHON), and a browser for those of pages.
pictures: setup
	@swift build --product study-receiver && swift build --product studyd && swift build --product studyd-tools
	@$${STUDYD_PYTHON:-python3} docs/pictures/pictures.py .build/debug docs/pictures

# New and changed phrases into the catalogues of all languages (docs/adding/language.md); needs gettext.
translations:
	@python3 .ci/translations.py

# The pages of docs/adding, carried out in a clone: applied, built, and asked for what they add (CI compiles it with Debian's Swift).
adding: setup
	@python3 Tests/Adding/carry_out.py .build/adding
	@cd .build/adding && for product in studyd studyd-tools; do swift build --quiet --product $$product || exit; done
	@python3 Tests/Adding/carry_out.py --try .build/adding/.build/debug/studyd-tools .build/adding/.build/debug/studyd .build/adding

lint:
	@bash .ci/lint

format:
	@swift format -i -r Sources Tests Package.swift

size: release
	@bash .ci/size

bench: release
	@swift build $(RELEASE) --product studyd-bench
	@bash .ci/bench

# The power goes at every moment of a recorded run; docs/reliability.md has the last result. `crash-record` records it again, with strace.
crash-test: setup
	@swift build --configuration release --product RecordingCrash
	@.build/release/RecordingCrash enumerate Tests/Crash/run.strace.gz
	@.build/release/RecordingCrash enumerate Tests/Crash/sealed.strace.gz --sealed

# Half a year of three studies with everything that can happen, one of them with rules, and a crash every half an hour; docs/reliability.md has the last result.
CRASHES ?= 10000
core-test: setup
	@swift build --scratch-path .build/core --configuration release -Xswiftc -enable-testing --product StudyCrash
	@.build/core/release/StudyCrash $(CRASHES)

crash-record:
	@swift build --product RecordingCrash
	@bash Tests/Crash/record.sh

# Ten million damaged files for everything that reads recordings, and as many for the reader of configurations. The result stands in docs/reliability.md too.
EXECUTIONS ?= 10000000
fuzz: setup
	@swift build --configuration release --product RecordingFuzz
	@.build/release/RecordingFuzz run Tests/Fuzz/corpus $(EXECUTIONS)
	@swift build --configuration release --product TOMLFuzz
	@.build/release/TOMLFuzz $(EXECUTIONS) boards/*.toml docs/studyd.toml
	@swift build --configuration release --product MerlinFuzz
	@.build/release/MerlinFuzz $(EXECUTIONS)
	@swift build --configuration release --product SageFuzz
	@.build/release/SageFuzz $(EXECUTIONS) studies/sage/*.json

# Small changes to what the code decides, drawn by SEED: the tests of its room must fail for each. COUNT=10 ROOMS="Base Lab" for fewer, FLAGS are
# the build's. The tree stays as it is: a copy of it is built. docs/reliability.md says how, and has the last result.
SEED ?= 1
COUNT ?= 60
ROOMS ?=
FLAGS ?=
mutants: setup
	@FLAGS="$(FLAGS)" python3 -B Tests/Mutants/mutants.py $(SEED) $(COUNT) $(ROOMS)

# Damages of every kind to recordings of every format: `recordings verify` must find each. The result stands in docs/recordings.md.
DAMAGES ?= 10000
damage: setup
	@swift build --configuration release --product RecordingFuzz
	@.build/release/RecordingFuzz damage $(DAMAGES)

# Programs for another architecture are stripped by its tool, and their manual pages and completions are made by this machine's programs:
# STRIP and HELP.
STRIP ?= strip
HELP ?= $(BUILD)/release
PROGRAMS := studyd study-receiver studyd-tools
SHARE = $(DESTDIR)$(PREFIX)/share
install: release
	install -d $(DESTDIR)$(PREFIX)/bin
	for program in $(PROGRAMS); do \
		$(STRIP) -s -o $(DESTDIR)$(PREFIX)/bin/$$program $(BUILD)/release/$$program \
			&& chmod 755 $(DESTDIR)$(PREFIX)/bin/$$program || exit; \
	done
	find boards studies -type f -exec install -D -m 644 {} $(SHARE)/studyd/{} \;
	install -m 644 docs/studyd.toml systemd/set-clock.conf $(SHARE)/studyd/
	for unit in studyd study-receiver; do \
		install -D -m 644 systemd/$$unit.service $(DESTDIR)$(PREFIX)/lib/systemd/system/$$unit.service \
			&& install -D -m 644 systemd/$$unit.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/$$unit.conf || exit; \
	done
	install -D -m 644 systemd/studyd.tmpfiles $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/studyd.conf
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/systemd/system systemd/studyd-takeover.service systemd/studyd-takeover-finish.service
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/udev/rules.d udev/70-studyd.rules udev/71-studyd-takeover.rules
	bash .ci/install-help $(HELP) $(SHARE)
	install -D -m 644 -t $(SHARE)/doc/studyd README.md CHANGELOG.md debian/copyright docs/panel.md docs/clock.md docs/device-health.md \
		docs/install.md docs/recordings.md docs/recording.schema.json docs/report.schema.json
	install -D -m 644 -t $(SHARE)/doc/study-receiver docs/receiver.md docs/lab.md docs/lab.schema.json docs/dataset.md docs/dataset-bids.md
	install -D -m 644 -t $(SHARE)/doc/study-receiver/proxy docs/proxy/*

# Debian packages, in .build/deb: for this machine's release and architecture, with DEBIAN=13 or ARCH=arm64 for others; debian/README.source.
deb: setup
	@ARCH=$(ARCH) DEBIAN=$(DEBIAN) REVISION=$(REVISION) bash .ci/deb

# Installed, updated by unattended-upgrade from a signed repository, removed and purged in clean roots of Debian; docs/install.md has the last result.
deb-test:
	@python3 -B Tests/packages/deb_test.py

# The official Raspberry Pi OS Lite image with these packages in it: make image FROM=raspios-lite.img.xz TO=study.img DEBS="studyd.deb"; needs root.
image:
	@bash .ci/pi-image "$(FROM)" "$(TO)" $(DEBS)

clean:
	@swift package clean

# The table of real study files in Tests/ScenarioTests/schema_studies.md, by what `studyd validate` says of each; MIRRORS is a folder of git directories OWNER+NAME/repo.
MIRRORS ?= mirrors
schema-studies:
	@swift build --product studyd
	@python3 Tests/ScenarioTests/schema_studies.py --mirrors $(MIRRORS)
