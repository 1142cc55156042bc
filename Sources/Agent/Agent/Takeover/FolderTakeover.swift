// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Study
import SystemKit

/// Takes over a folder that somebody put on the boot partition or a stick, to set this device up for a
/// participant: reads the folder and the machine, lets `TakeoverPlan` decide, and performs its steps. `studyd
/// takeover` calls `run` once at boot, as root; blocks.
package struct FolderTakeover: Sendable {
    /// What the command provides.
    package struct Actions: Sendable {
        /// Paths of the boards that come with studyd, by their names.
        package var boards: [String: String]
        /// Enrols with the configuration that was written; throws where that is refused.
        package var enrol: @Sendable (EnrolmentRequest) async throws -> Void
        /// Runs a program. Returns its output where it failed; nil = it succeeded.
        package var run: @Sendable ([String]) -> String?
        /// Called with the folder's board as soon as it is known, to signal on it.
        package var boardFound: @Sendable (BoardDescription) -> Void = { _ in }

        package init(
            boards: [String: String], enrol: @escaping @Sendable (EnrolmentRequest) async throws -> Void,
            run: @escaping @Sendable ([String]) -> String?
        ) {
            self.boards = boards
            self.enrol = enrol
            self.run = run
        }
    }

    private let folder: String
    private let places: TakeoverPlaces
    private let clock: any StudyClock
    private let isClockTrusted: Bool
    private let actions: Actions
    /// How long a bus may take to appear: drivers come by themselves while the system starts.
    private let patience: Duration

    package init(
        _ folder: String, places: TakeoverPlaces, clock: any StudyClock, isClockTrusted: Bool,
        patience: Duration = .seconds(20), actions: Actions
    ) {
        self.folder = folder
        self.places = places
        self.clock = clock
        self.isClockTrusted = isClockTrusted
        self.patience = patience
        self.actions = actions
    }

    /// `RESULT.txt` lies beside the folder.
    package var result: String { parent + "/RESULT.txt" }

    /// Takes the folder over and writes `RESULT.txt`. Returns the outcome and the board on which to signal
    /// it; nil where there was nothing to do.
    package func run() async -> (outcome: TakeoverOutcome, board: BoardDescription?)? {
        // Asked before the state folder is made.
        let owner = StateOwner(of: places.state)
        defer { owner?.restore() }
        var reading = Reading()
        let outcome: TakeoverOutcome?
        do throws(TakeoverMistake) {
            outcome = try await takeOver(&reading)
        } catch {
            outcome = .refused([error])
        }
        guard let outcome else { return nil }
        report(outcome, reading.words)
        return (outcome, reading.board ?? usualBoard)
    }

    /// What the folder says, as far as it could be read.
    private struct Reading {
        var board: BoardDescription?
        var words = Words.english
    }

    /// Writes `RESULT.txt`. Errors are ignored: on a partition that cannot be written to, the signal has to do.
    private func report(_ outcome: TakeoverOutcome, _ words: Words) {
        var date = clock.now.rfc3339()
        // By this date the stick is known again later (`enrolledSince`).
        if case .waiting = outcome, let since = TakeoverRest.read(places.rest)?.waitingSince { date = since }
        let text = Array(outcome.text(date: date, words: words).utf8)
        guard (try? AtomicFile.write(text, to: result)) != nil else { return }
        // On FAT the file has no length until this has written it.
        try? AtomicFile.sync(result)
        // The file no longer says that the device waits.
        guard case .taken = outcome, var rest = TakeoverRest.read(places.rest), rest.waitingSince != nil else { return }
        rest.waitingSince = nil
        try? rest.keep(at: places.rest)
    }

    private func takeOver(_ reading: inout Reading) async throws(TakeoverMistake) -> TakeoverOutcome? {
        guard let bytes = try setupBytes() else { return try leftover(&reading) }
        // What the folder says, and what the machine is.
        reading.words = SetupFile.language(in: bytes).map(Words.init(for:)) ?? .english
        let setup = try SetupFile(parsing: bytes)
        reading.words = language(of: setup).map(Words.init(for:)) ?? .english
        let found = findBoard(setup)
        reading.board = found.board
        var facts = try facts(of: setup)
        facts.board = found.fact
        facts.study = study(of: setup, on: found.board)
        switch TakeoverPlan(setup: setup, facts: facts).decision {
        case .refuse(let mistakes):
            guard let first = mistakes.first else { return nil }
            return .refused([first] + mistakes.dropFirst())
        case .wipeAgain(let remarks):
            try wipe(setup)
            return try outcome(remarks)
        case .take(let steps, let remarks):
            for step in steps { try await perform(step, setup, found.path) }
            return try outcome(remarks)
        }
    }

    /// The bytes of `setup.toml`; nil where the file is not there.
    private func setupBytes() throws(TakeoverMistake) -> [UInt8]? {
        let path = folder + "/" + SetupFile.name
        guard access(path, F_OK) == 0 else { return nil }
        do { return try BoundedFile.read(path, limit: ConfigSource.maximumSize) } catch {
            throw TakeoverMistake(.badSetup, Explanation(error))
        }
    }

    /// The outcome for a folder without setup file. Where it was taken over before, which wiped the file: that of
    /// `enrolledSince`. Throws where it never had one, or where the enrolment that was left for later was given up.
    private func leftover(_ reading: inout Reading) throws(TakeoverMistake) -> TakeoverOutcome? {
        if let refusal = TakeoverRest.read(places.rest)?.refusal { throw refusal }
        let present: TakeoverFacts.Participation?
        // Where that cannot be known now, nothing is wrong with the folder.
        do { present = try places.participation() } catch { return nil }
        if let present { return enrolledSince(present, &reading) }
        throw TakeoverMistake(
            .noSetup, at: folderName, "The folder has no setup.toml",
            remedy: "make the folder with 'studyd provision', or write the file as docs/first-use.md says")
    }

    /// The outcome for a `RESULT.txt` that still says that the device waits, though it was enrolled meanwhile
    /// while the stick was not plugged in; nil where that is not so. The server may have given the
    /// participant another name.
    private func enrolledSince(
        _ present: TakeoverFacts.Participation, _ reading: inout Reading
    ) -> TakeoverOutcome? {
        let english = Words.english
        guard let study = present.study, !present.hasLeft, let text = try? BoundedFile.text(result),
            text.contains(english(TakeoverPhrases.waiting)),
            let rest = TakeoverRest.read(places.rest), let since = rest.waitingSince,
            rest.enrolled ?? present.participant == present.participant,
            text.split(whereSeparator: \.isNewline).contains(Substring(english(TakeoverPhrases.date, since)))
        else { return nil }
        let configured = try? AgentConfiguration(
            parsing: BoundedFile.text(places.configuration), file: places.configuration)
        reading.words = (configured?.speech.language).map(Words.init(for:)) ?? .english
        return .taken(participant: present.participant, study: study, remarks: [])
    }

    /// The outcome after the steps: waiting where the enrolment was left for later (`TakeoverRest`), else taken.
    private func outcome(_ remarks: [TakeoverMistake]) throws(TakeoverMistake) -> TakeoverOutcome {
        var remarks = remarks
        if case .needed(let key, let line) = places.cloudInit(boot: places.boot).verdict {
            remarks.append(Self.cloudInitStays(key, line))
        }
        if let rest = TakeoverRest.read(places.rest), let request = rest.request {
            return .waiting(
                participant: request.participant ?? "", server: rest.server ?? request.source, remarks: remarks)
        }
        guard let present = try places.participation() else {
            throw TakeoverMistake(
                .failed, "The enrolment is not in the device's log", remedy: "send this file to the study team")
        }
        return .taken(participant: present.participant, study: present.study ?? "", remarks: remarks)
    }

    private static func cloudInitStays(_ key: String, _ line: Int) -> TakeoverMistake {
        TakeoverMistake(
            .slowBoots, at: "user-data, line \(line)",
            "cloud-init stays switched on, since '\(key)' is for every boot: without a network a boot takes two minutes longer",
            remedy: "remove it if it is not needed")
    }

    private var parent: String { folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? "." }
    private var folderName: String { folder.split(separator: "/").last.map(String.init) ?? folder }

    // MARK: - Facts

    private func facts(of setup: SetupFile) throws(TakeoverMistake) -> TakeoverFacts {
        var facts = TakeoverFacts()
        facts.participation = try places.participation()
        facts.deviceKey = (try? BoundedFile.text(places.deviceKey)).map { String($0.prefix { !$0.isNewline }) }
        facts.freeBytes = (DiskSpace(at: places.state) ?? DiskSpace(at: places.boardFolder))?.free
        facts.isClockTrusted = isClockTrusted
        facts.networkFile = try? BoundedFile.text(parent + "/network-config")
        facts.hasNetwork = places.hasNetwork(networkFile: facts.networkFile, in: parent)
        facts.isNetworkFileUnused = places.isUnused(networkFile: facts.networkFile, in: parent)
        facts.ignoredWiFi = places.ignoredWiFi(networkFile: facts.networkFile, in: parent)
        facts.bootConfig =
            (try? BoundedFile.text(parent + "/config.txt")) ?? (try? BoundedFile.text(places.boot + "/config.txt"))
        facts.consent = setup.consent.flatMap { name in
            explained { _ = try ConsentRecord(parsing: BoundedFile.read(folder + "/" + name), file: name) }
        }
        facts.configuration = explained { try checkState(setup) }
        return facts
    }

    /// Throws where the folder's configuration names another state folder: the service's unit sets its own,
    /// and may write to no other.
    private func checkState(_ setup: SetupFile) throws {
        guard let name = setup.configuration, let own = try? ownConfiguration(setup),
            own.state != places.state, own.state != AgentConfiguration.defaultState
        else { return }
        throw try ConfigSource.parse(BoundedFile.text(folder + "/" + name), file: name).error(
            "state", "is '\(own.state)', but the service keeps its state in \(places.state)",
            remedy: "remove this line")
    }

    private struct FoundBoard {
        var fact: TakeoverFacts.Board
        var board: BoardDescription?
        /// Path of the board's file.
        var path = ""
    }

    private func findBoard(_ setup: SetupFile) -> FoundBoard {
        let path: String
        do {
            path = try ownConfiguration(setup).map { try boardPath(of: $0, setup) } ?? boardPath(setup)
        } catch { return FoundBoard(fact: .unusable(Explanation(error))) }
        guard !path.isEmpty else { return FoundBoard(fact: .unknown(actions.boards.keys.sorted())) }
        do {
            let board = try BoardDescription(parsing: BoundedFile.text(path), file: path)
            guard !board.isSimulated else {
                let cause = "The board '\(board.name)' is simulated"
                return FoundBoard(fact: .unusable(Explanation(cause: cause, remedy: "choose the board that was built")))
            }
            actions.boardFound(board)
            return FoundBoard(fact: .known(parts(of: board)), board: board, path: path)
        } catch {
            return FoundBoard(fact: .unusable(Explanation(error)))
        }
    }

    /// Path of the file of the board that `setup.toml` names; empty where there is none.
    private func boardPath(_ setup: SetupFile) -> String {
        let name = setup.board ?? ""
        if let shipped = actions.boards[name] { return shipped }
        let path = name.hasPrefix("/") ? name : folder + "/" + name
        return access(path, F_OK) == 0 && path.hasSuffix(".toml") ? path : ""
    }

    /// Path of the board file that the folder's own configuration names, relative to that configuration.
    private func boardPath(of configuration: AgentConfiguration, _ setup: SetupFile) throws -> String {
        let name = configuration.board
        let path = name.hasPrefix("/") ? name : ownFolder(setup) + "/" + name
        guard access(path, F_OK) == 0, !name.split(separator: "/").contains("..") else {
            throw ConfigError(
                file: setup.configuration ?? "", path: "board", line: nil, cause: "there is no board file '\(name)'",
                remedy: "write the path of one in the folder, or of one that comes with studyd: "
                    + actions.boards.values.sorted().joined(separator: ", "))
        }
        return path
    }

    /// Where the configuration that came in the folder lies.
    private func ownFolder(_ setup: SetupFile) -> String {
        let path = folder + "/" + (setup.configuration ?? "")
        return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? folder
    }

    /// The configuration that came in the folder; nil where none did.
    private func ownConfiguration(_ setup: SetupFile) throws -> AgentConfiguration? {
        guard let name = setup.configuration else { return nil }
        return try AgentConfiguration(parsing: BoundedFile.text(folder + "/" + name), file: name)
    }

    private func language(of setup: SetupFile) -> String? {
        setup.language ?? (try? ownConfiguration(setup))?.speech.language
    }

    /// Which buses and chips are not as the board says; waits for buses that may still appear.
    private func parts(of board: BoardDescription) -> TakeoverFacts.Parts {
        var parts = TakeoverFacts.Parts()
        let buses = board.buses
        wait { buses.allSatisfy { access(places.device($0.device), F_OK) == 0 } }
        for bus in buses {
            guard access(places.device(bus.device), F_OK) == 0 else {
                parts.missingBuses.append(bus.device)
                continue
            }
            // A bus that root cannot open is broken: `studyd check` explains that.
            guard let open = try? LinuxI2CBus(path: places.device(bus.device)) else { continue }
            let verdict = BusVerdict(BusSurvey(of: open, named: bus.name), of: board, bus: bus)
            for chip in board.chips where chip.bus == bus.name {
                let subject = CheckSubject(chip, of: board)
                guard let finding = verdict.refusal(subject, chip) else { continue }
                let cause = "\(finding.subject.name): \(finding.detail)"
                parts.wrongChips.append(Explanation(place: "board \(board.name)", cause: cause, remedy: finding.remedy))
            }
        }
        return parts
    }

    private func wait(until isThere: () -> Bool) {
        guard let waker = try? Waker() else { return }
        let end = clock.monotonic + patience
        while !isThere(), clock.monotonic < end { waker.wait(atMost: .milliseconds(200)) }
    }

    private func study(of setup: SetupFile, on board: BoardDescription?) -> TakeoverFacts.Study {
        guard !setup.isStudyAddress else { return .address }
        let path = folder + "/" + setup.study
        guard access(path, F_OK) == 0 else { return .missing }
        do {
            let study = try LoadedStudy.load(path, arguments: setup.arguments).study
            let verdict = try board.map { StudyVerdict(study, on: try Panel($0)) }
            let refusals = verdict.map { $0.isRefused ? $0.refusals.map(\.text) : [] } ?? []
            return .read(id: study.studyID, refusals: refusals + (verdict?.buttonRefusals ?? []))
        } catch { return .unreadable(Explanation(error)) }
    }

    /// The error that `body` throws; nil where it throws none.
    private func explained(_ body: () throws -> Void) -> Explanation? {
        do { try body() } catch { return Explanation(error) }
        return nil
    }

    /// The board of the configuration that is already on the device, to signal on where the folder's is
    /// unknown.
    private var usualBoard: BoardDescription? {
        guard let text = try? BoundedFile.text(places.configuration),
            let configuration = try? AgentConfiguration(parsing: text, file: places.configuration),
            let file = try? BoundedFile.text(configuration.board)
        else { return nil }
        return try? BoardDescription(parsing: file, file: configuration.board)
    }

    // MARK: - Steps

    private func installPackages() throws(TakeoverMistake) {
        let packages = FolderListing.readable(folder + "/packages").filter { $0.hasSuffix(".deb") }
        guard !packages.isEmpty else { return }
        let paths = packages.map { folder + "/packages/" + $0 }
        let line = [
            "env", "DEBIAN_FRONTEND=noninteractive", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "dpkg", "--force-confold",
            "--install",
        ]
        guard let output = actions.run(line + paths) else { return }
        throw TakeoverMistake(
            .badPackage, at: "packages", "A package cannot be installed:\n\(output)",
            remedy: "put every package that it needs into the folder, too, for this release of the system")
    }

    private func perform(_ step: TakeoverPlan.Step, _ setup: SetupFile, _ board: String) async throws(TakeoverMistake) {
        do {
            switch step {
            case .install: try installPackages()
            case .configure: try configure(setup, board)
            case .keepSecrets: try keepSecrets(setup)
            case .enrol: try await enrol(setup)
            case .enrolLater: try keepRest(setup)
            case .enable: try enable()
            case .wipe: try wipe(setup)
            }
        } catch {
            throw error as? TakeoverMistake ?? TakeoverMistake(of: error, otherwise: .failed)
        }
    }

    private func configure(_ setup: SetupFile, _ board: String) throws {
        // The board file on the device: a copy where it came in the folder.
        var own = board
        try File.makeFolder(places.boardFolder)
        chmod(places.boardFolder, 0o755)
        if board.hasPrefix(folder + "/") {
            let name = try boardName(setup, board)
            own = places.boardFolder + "/" + name
            try File.makeFolder(own.lastIndex(of: "/").map { String(own[..<$0]) } ?? "")
            for slash in name.indices where name[slash] == "/" {
                chmod("\(places.boardFolder)/\(name[..<slash])", 0o755)
            }
            try write(BoundedFile.read(board), to: own)
        }
        let text = try configurationText(setup, board: own)
        _ = try AgentConfiguration(parsing: text, file: places.configuration)
        let before = try? BoundedFile.text(places.configuration)
        guard before != text else { return }
        if before != nil { rename(places.configuration, places.configuration + ".old") }
        try write(Array(text.utf8), to: places.configuration)
    }

    /// The board file's path below the configuration's folder: as the folder's own configuration names it,
    /// where there is one.
    private func boardName(_ setup: SetupFile, _ path: String) throws -> String {
        if let name = try ownConfiguration(setup)?.board, !name.hasPrefix("/") { return name }
        return path.split(separator: "/").last.map(String.init) ?? "board.toml"
    }

    /// Writes a file that the agent, which is another user, can read whatever the umask.
    private func write(_ bytes: [UInt8], to path: String) throws {
        try AtomicFile.write(bytes, to: path)
        chmod(path, 0o644)
    }

    private func configurationText(_ setup: SetupFile, board: String) throws -> String {
        if let name = setup.configuration { return try BoundedFile.text(folder + "/" + name) }
        var draft = ConfigurationDraft(board: board)
        draft.state = places.state
        draft.zone = setup.zone
        draft.receiver = setup.receiver
        draft.language = setup.language
        draft.recipients = setup.recipients
        return draft.text
    }

    /// The device's key goes where the agent looks for it; files of `credentials/` become
    /// credentials of its unit, by their names.
    private func keepSecrets(_ setup: SetupFile) throws {
        if let key = setup.deviceKey {
            _ = try StateFolder(places.state)
            try AtomicFile.write(Array((key + "\n").utf8), to: places.deviceKey, mode: 0o600)
        }
        try File.makeFolder(places.credentials)
        let names = FolderListing.readable(folder + "/credentials").filter(Self.isCredential)
        for name in names {
            let bytes = try BoundedFile.read(folder + "/credentials/" + name, limit: 1 << 20)
            try AtomicFile.write(bytes, to: places.credentials + "/studyd." + name, mode: 0o600)
        }
        guard !names.isEmpty else { return }
        let lines = names.map { "LoadCredential=\($0):\(places.credentials)/studyd.\($0)" }
        try File.makeFolder(places.dropIn.lastIndex(of: "/").map { String(places.dropIn[..<$0]) } ?? "")
        try AtomicFile.write(Array((["[Service]"] + lines).joined(separator: "\n").utf8) + [10], to: places.dropIn)
        if let output = actions.run(["systemctl", "daemon-reload"]) {
            throw FileError(path: places.dropIn, message: output)
        }
    }

    private static func isCredential(_ name: String) -> Bool {
        !name.hasPrefix(".") && name.utf8.count <= 64
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }

    private func request(_ setup: SetupFile) throws -> EnrolmentRequest {
        var request = EnrolmentRequest(source: setup.isStudyAddress ? setup.study : folder + "/" + setup.study)
        request.participant = setup.participant
        request.arguments = setup.arguments
        request.code = setup.code?.text
        request.holdTimes = setup.holdTimes
        request.consent = try setup.consent.map { .init(text: try BoundedFile.text(folder + "/" + $0), file: $0) }
        return request
    }

    private func enrol(_ setup: SetupFile) async throws {
        let request = try request(setup)
        do { try await actions.enrol(request) } catch {
            if case EnrolmentError.cannotMeasure? = error as? EnrolmentError {
                throw TakeoverMistake(.wrongChip, Explanation(error))
            }
            throw TakeoverMistake(of: error, otherwise: .refusedByStudy)
        }
        try keepRest(nil)
    }

    /// Notes what `studyd-takeover-finish.service`, which waits for network and cloud-init, has left to do;
    /// `setup` nil = the enrolment is done.
    private func keepRest(_ setup: SetupFile?) throws {
        var rest = TakeoverRest(result: result)
        rest.request = try setup.map(request)
        rest.language = setup.flatMap(language)
        // Two devices of one image, without a clock of their own, begin in the same second.
        rest.waitingSince = setup.map { _ in clock.now.rfc3339(fractionDigits: 3) }
        rest.waitsForCloudInit = try !Self.endCloudInit(places)
        try rest.keep(at: places.rest)
    }

    /// Once cloud-init has finished a boot, wipes a `network-config` that studyd wrote: it holds the Wi-Fi's password,
    /// which cloud-init has handed on by then. Switches cloud-init off from the next boot on, unless `user-data` needs
    /// it; what it has set up stays. False where it has not finished yet.
    static func endCloudInit(_ places: TakeoverPlaces) throws -> Bool {
        let cloudInit = places.cloudInit(boot: places.boot)
        guard cloudInit.runs else { return true }
        guard cloudInit.hasFinished else { return false }
        if cloudInit.verdict == .removable { try AtomicFile.write([], to: places.cloudInitSwitch) }
        try WiFiFile.wipe(places.boot + "/network-config")
        return true
    }

    private func enable() throws {
        var lines = [
            ["systemctl", "enable", "--quiet", "studyd.service"],
            ["systemctl", "start", "--no-block", "studyd.service"],
        ]
        if TakeoverRest.read(places.rest) != nil {
            lines += [
                ["systemctl", "enable", "--quiet", "studyd-takeover-finish.service"],
                ["systemctl", "start", "--no-block", "studyd-takeover-finish.service"],
            ]
        }
        for line in lines {
            if let output = actions.run(line) { throw FileError(path: line.joined(separator: " "), message: output) }
        }
    }

    /// Overwrites and removes what is secret: token, key, consent, credentials, and a Wi-Fi that cloud-init will not
    /// read. Study, board and packages stay.
    private func wipe(_ setup: SetupFile) throws(TakeoverMistake) {
        let names = ["credentials", setup.consent, setup.configuration, SetupFile.name].compactMap(\.self)
        do throws(FileError) {
            if !places.readsNetworkFile(in: parent) { try WiFiFile.wipe(parent + "/network-config") }
            for name in names { try SecretWipe.wipe(folder + "/" + name) }
        } catch { throw TakeoverMistake(.failed, Explanation(error)) }
    }
}
