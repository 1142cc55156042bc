// SPDX-License-Identifier: Apache-2.0
import Base

/// Decides what becomes of a folder: `setup.toml` and the machine's facts go in, steps or mistakes come out.
/// `FolderTakeover` makes one, asks for `decision` and has the steps performed in order. Pure.
package struct TakeoverPlan: Sendable {
    package enum Step: Sendable, Hashable {
        /// Installs the folder's packages. Never on a device that has a participant, since anyone can plug in
        /// a stick.
        case install
        case configure
        /// Keeps credentials and the device's key where only the system reads them.
        case keepSecrets
        /// Enrols now, without a network.
        case enrol
        /// Leaves the enrolment to the unit that waits for the network.
        case enrolLater
        case enable
        /// Overwrites and removes what is secret in the folder.
        case wipe
    }
    package enum Decision: Sendable, Hashable {
        case refuse([TakeoverMistake])
        /// `remarks` are what an assistant should know although the folder is taken over.
        case take([Step], remarks: [TakeoverMistake])
        /// This folder was taken over before: only what is secret in it is removed.
        case wipeAgain(remarks: [TakeoverMistake])
    }

    /// With fewer free bytes recordings stop, see `DiskVerdict`.
    package static let leastSpace: Int64 = 64 << 20
    let setup: SetupFile
    let facts: TakeoverFacts

    package var decision: Decision {
        if isTaken { return .wipeAgain(remarks: remarks) }
        if let mistake = conflict { return .refuse([mistake]) }
        let mistakes =
            [disk, networkFile, network, consent, configuration].compactMap(\.self) + boardMistakes + studyMistakes
        guard mistakes.isEmpty else { return .refuse(mistakes) }
        let enrolment: Step = setup.isStudyAddress ? .enrolLater : .enrol
        return .take([.install, .configure, .keepSecrets, enrolment, .enable, .wipe], remarks: remarks)
    }

    /// What an assistant should know of a folder that is taken over. Without a trusted clock and a network: that
    /// the date is unknown. Otherwise: that the device does not know the Wi-Fi of `network-config`.
    private var remarks: [TakeoverMistake] {
        guard !facts.isClockTrusted, !facts.hasNetwork else {
            return facts.ignoredWiFi.map { [Self.ignored($0)] } ?? []
        }
        let clock = TakeoverMistake(
            .oldClock,
            "The device does not know the date yet: it records, but does not prompt until it does" + unusedNetworkFile,
            remedy: "give it a network or a battery-backed clock; the study's days count from then on")
        return [clock]
    }

    private static func ignored(_ wifi: String) -> TakeoverMistake {
        TakeoverMistake(
            .ignoredWiFi, at: "network-config",
            "The device does not know the Wi-Fi '\(wifi)'" + whereNetworkFilesCount,
            remedy: "set it up on the device, or on a new card with Raspberry Pi Imager")
    }

    // MARK: - Who

    /// Whether the device already has the folder's participant in the same study, with the same key where the
    /// folder has one.
    private var isTaken: Bool {
        guard let present = facts.participation, !present.hasLeft,
            setup.participant ?? present.participant == present.participant,
            setup.deviceKey == nil || facts.deviceKey == setup.deviceKey
        else { return false }
        // Where one of the two studies is not known, a study by its address counts as the same.
        guard case .read(let id, _) = facts.study, let study = present.study else { return setup.isStudyAddress }
        return id == study
    }

    /// The device belongs to another participant, study or folder; nil = it does not.
    private var conflict: TakeoverMistake? {
        guard let present = facts.participation else { return nil }
        guard setup.participant == nil || setup.participant == present.participant else {
            return TakeoverMistake(
                .otherParticipant, at: setup.place("participant"),
                "This device belongs to participant \(present.participant), and the folder is for \(setup.participant ?? "")",
                remedy: "use the folder of \(present.participant), or run 'studyd hand-over' on the device first")
        }
        guard !present.hasLeft else { return nil }
        if let study = present.study, case .read(let id, _) = facts.study, id != study {
            return TakeoverMistake(
                .otherParticipant, at: setup.place("study"),
                "This device takes part in study \(study), and the folder is for \(id)",
                remedy: "run 'studyd withdraw' on the device first")
        }
        guard let key = setup.deviceKey, key != facts.deviceKey else { return nil }
        return TakeoverMistake(
            .secondFolder, at: setup.place("device_key"),
            "This is another folder for \(present.participant): its device key is not the one this device has",
            remedy: "use each folder for one device only; make a new list with 'studyd provision' for a new device")
    }

    // MARK: - Machine

    private var disk: TakeoverMistake? {
        guard let free = facts.freeBytes, free < Self.leastSpace else { return nil }
        return TakeoverMistake(
            .diskFull, "The device's card has only \(free >> 20) MB left; \(Self.leastSpace >> 20) MB are needed",
            remedy: "use a larger card, or delete what is not needed")
    }

    private var network: TakeoverMistake? {
        guard setup.isStudyAddress, !facts.hasNetwork else { return nil }
        return TakeoverMistake(
            .noNetwork, at: setup.place("study"),
            "The study is fetched from \(setup.study), and no network is set up" + unusedNetworkFile,
            remedy:
                "set up the Wi-Fi with Raspberry Pi Imager, or put a network-config ('studyd provision' writes one) onto "
                + "the boot partition of a card that has not booted yet, or put the study's file into the folder")
    }

    private var unusedNetworkFile: String { facts.isNetworkFileUnused ? Self.whereNetworkFilesCount : "" }

    private static let whereNetworkFilesCount =
        ". The network-config beside the folder is not used: it is read at a card's first boot alone, from the card's boot partition"

    /// A tab in an indentation, which YAML forbids (YAML 1.2.2, section 6.1): cloud-init would ignore the
    /// whole file.
    private var networkFile: TakeoverMistake? {
        let lines = (facts.networkFile ?? "").split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard
            let index = lines.firstIndex(where: { line in
                line.prefix { $0 == " " || $0 == "\t" }.contains("\t") && !line.allSatisfy(\.isWhitespace)
            })
        else { return nil }
        return TakeoverMistake(
            .badNetworkFile, at: "network-config, line \(index + 1)",
            "The line begins with a tab, which YAML does not allow",
            remedy: "write spaces instead, two for each step")
    }

    private var consent: TakeoverMistake? {
        facts.consent.map { TakeoverMistake(.badConsent, at: setup.place("consent"), $0.finding, remedy: $0.remedy) }
    }

    private var configuration: TakeoverMistake? {
        facts.configuration.map {
            TakeoverMistake(.badSetup, at: setup.place("configuration"), $0.finding, remedy: $0.remedy)
        }
    }

    // MARK: - Board

    private var boardMistakes: [TakeoverMistake] {
        switch facts.board {
        case .unknown(let names):
            let board = setup.board ?? ""
            let near = Misspelling.nearest(board, in: names).map { "did you mean '\($0)'? Write" } ?? "write"
            let choice = BoardDescription.choice(of: names, or: "the name of a file beside setup.toml")
            return [
                TakeoverMistake(
                    .unknownBoard, at: setup.place("board"), "There is no board '\(board)'",
                    remedy: "\(near) \(choice)")
            ]
        case .unusable(let explanation):
            return [
                TakeoverMistake(
                    .unknownBoard, at: setup.place("board"), explanation.finding, remedy: explanation.remedy)
            ]
        case .known(let parts):
            if !parts.missingBuses.isEmpty { return parts.missingBuses.map(busOff) }
            return parts.wrongChips.map { TakeoverMistake(.wrongChip, $0) }
        }
    }

    private func busOff(_ device: String) -> TakeoverMistake {
        let cause = "The I2C bus \(device), which the board needs, is not there"
        let name = device == "/dev/i2c-0" ? "i2c_vc" : "i2c_arm"
        let line = "dtparam=\(name)=on"
        guard let text = facts.bootConfig else {
            return TakeoverMistake(.busOff, cause, remedy: "switch the bus on, or choose the board that was built")
        }
        switch BootConfig(text).parameter(name) {
        case .on:
            return TakeoverMistake(
                .busOff, at: "config.txt", "\(cause), though config.txt switches it on",
                remedy: "switch the device off and on once more; if it stays, the board is another one")
        case .off(let number):
            return TakeoverMistake(
                .busOff, at: "config.txt, line \(number)", cause, remedy: "write \(line) in its place")
        case .commented(let number):
            return TakeoverMistake(
                .busOff, at: "config.txt, line \(number)", cause, remedy: "remove the # before the line \(line)")
        case .absent:
            return TakeoverMistake(.busOff, at: "config.txt", cause, remedy: "add the line \(line)")
        }
    }

    // MARK: - Study

    private var studyMistakes: [TakeoverMistake] {
        switch facts.study {
        case .address: return []
        case .missing:
            return [
                TakeoverMistake(
                    .noStudy, at: setup.place("study"), "There is no file '\(setup.study)' in the folder",
                    remedy: "copy the study's file into the folder, or correct its name")
            ]
        case .unreadable(let explanation):
            return [TakeoverMistake(.badStudy, explanation.within(setup.study))]
        case .read(_, let refusals):
            guard !refusals.isEmpty else { return [] }
            return [
                TakeoverMistake(
                    .boardCannotAsk, at: setup.place("board"),
                    "The board cannot run this study:\n" + refusals.joined(separator: "\n"),
                    remedy: "choose a board that can: 'studyd validate STUDY --board BOARD' tells")
            ]
        }
    }
}
