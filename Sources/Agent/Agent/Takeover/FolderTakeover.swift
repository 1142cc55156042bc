// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// Takes over a folder that somebody put on the boot partition or a stick, to set this device up for a
/// participant: `TakeoverSurvey` looks at the folder and the machine, `TakeoverPlan` decides, `TakeoverSteps` performs
/// what it decided. `studyd takeover` calls `run` once at boot, as root; blocks.
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

    private let folder: SetupFolder
    private let places: TakeoverPlaces
    private let clock: any StudyClock
    private let survey: TakeoverSurvey
    private let actions: Actions

    /// `patience` is how long a bus may take to appear.
    package init(
        _ folder: String, places: TakeoverPlaces, clock: any StudyClock, isClockTrusted: Bool,
        patience: Duration = .seconds(20), actions: Actions
    ) {
        self.folder = SetupFolder(path: folder)
        (self.places, self.clock, self.actions) = (places, clock, actions)
        survey = TakeoverSurvey(
            folder: self.folder, places: places, clock: clock, isClockTrusted: isClockTrusted, patience: patience,
            actions: actions)
    }

    /// `RESULT.txt` lies beside the folder.
    package var result: String { folder.result }

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
        guard let bytes = try folder.setupBytes() else { return try leftover(&reading) }
        // What the folder says, and what the machine is.
        reading.words = SetupFile.language(in: bytes).map(Words.init(for:)) ?? .english
        let setup = try SetupFile(parsing: bytes)
        reading.words = folder.language(of: setup).map(Words.init(for:)) ?? .english
        let found = survey.findBoard(setup)
        reading.board = found.board
        let facts = try survey.facts(of: setup, on: found)
        let performer = TakeoverSteps(
            folder: folder, setup: setup, board: found.path, places: places, clock: clock, actions: actions)
        switch TakeoverPlan(setup: setup, facts: facts).decision {
        case .refuse(let mistakes):
            guard let first = mistakes.first else { return nil }
            return .refused([first] + mistakes.dropFirst())
        case .wipeAgain(let remarks):
            try await performer.perform(.wipe)
            return try outcome(remarks)
        case .take(let steps, let remarks):
            for step in steps { try await performer.perform(step) }
            return try outcome(remarks)
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
            .noSetup, at: folder.name, "The folder has no setup.toml",
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

    /// The board of the configuration that is already on the device, to signal on where the folder's is
    /// unknown.
    private var usualBoard: BoardDescription? {
        guard let text = try? BoundedFile.text(places.configuration),
            let configuration = try? AgentConfiguration(
                parsing: text, file: places.configuration, state: places.state),
            let file = try? BoundedFile.text(configuration.board)
        else { return nil }
        return try? BoardDescription(parsing: file, file: configuration.board)
    }
}
