// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Glibc
import PlatformKit
import Study
import SystemKit

/// `studyd provision`: a folder and a card sheet for each device of a list.
struct ProvisionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provision", abstract: "Make a folder for each device of a list, to be copied onto its card.",
        discussion: """
            LIST is a table with the columns participant, study and board, and, as needed, token, consent, receiver, zone, hold_times, language, wifi,
            wifi_password and wifi_country. Everything is checked before anything is written. Copy what is in a device's card/ onto the boot
            partition of its card; devices.csv is for the receiver. All of it is secret.
            Example: studyd provision participants.csv -o cards
            """)

    @Argument(help: "The list: CSV with a first row that names the columns.", completion: .file(extensions: ["csv"]))
    var list: String
    @Option(name: .shortAndLong, help: "The folder to make; there must be none of that name.", completion: .directory)
    var output: String
    @Option(
        name: .long, help: "Have the devices seal everything to this recipient of age (age1...); may be given again.")
    var seal: [String] = []
    @OptionGroup var unused: UnusedOptions

    func run() throws {
        guard access(output, F_OK) != 0 else {
            throw FileError(path: output, message: "already exists", remedy: "name another folder, or remove it")
        }
        let list = try ParticipantList(
            parsing: BoundedFile.read(self.list, limit: SeparatedTable.maximumSize), file: self.list)
        let devices = try check(list)
        umask(0o077)
        do { try write(devices) } catch {
            // A card made from one of these folders would look complete, but no list would have its key.
            FolderRemoval.remove(output)
            throw error
        }
        Output.remark(
            "studyd: wrote \(Plural.of(devices.count, "folder")) to \(output), and devices.csv for the receiver")
        if list.entries.contains(where: { $0.wifi != nil }) { Output.remark("studyd: " + Self.whereWiFiCounts) }
    }

    private static let whereWiFiCounts =
        "network-config, the Wi-Fi, is read at a card's first boot alone, from the card's boot partition: "
        + "on a stick, or a card that has booted, it is not used, and is wiped"

    private struct Device {
        let entry: ParticipantList.Entry
        let folder: DeviceFolder
        let cards: String
    }

    /// Makes everything in memory; throws all mistakes in the files that the list names at once.
    private func check(_ list: ParticipantList) throws -> [Device] {
        let recipients = try seal.map { try AgeRecipient($0) }
        var mistakes: [Explanation] = []
        var pictures: [String: [String: String]] = [:]
        /// Studies with sounds that were warned of.
        var warnedStudies: Set<String> = []
        let devices = list.entries.compactMap { entry -> Device? in
            // The column of the list that a mistake is reported for.
            var column = "study"
            do {
                let (loaded, terms) = try LoadedStudy.find(path(entry.study), arguments: entry.arguments)
                try refuseBadAddress(of: loaded, terms, entry)
                column = "board"
                let (file, board) = try self.board(entry.board)
                var panel = try Panel(board)
                panel.holdTimes = entry.holdTimes
                let verdict = StudyVerdict(loaded.study, on: panel)
                guard !verdict.isRefused else { throw EnrolmentError.refused(verdict.refusals.map(\.text)) }
                guard verdict.buttonRefusals.isEmpty else { throw EnrolmentError.boundButtons(verdict.buttonRefusals) }
                let hasSounds = panel.hasLoudspeaker && loaded.study.media.contains { $0.kind == .audio }
                if hasSounds, !entry.isStudyAddress, warnedStudies.insert(entry.study).inserted {
                    Output.remark("studyd: WARNING: \(list.place(entry, "study")): \(Self.unreachableSounds)")
                }
                column = "consent"
                let consent = try entry.consent.map { try BoundedFile.read(path($0)) }
                if let consent { _ = try ConsentRecord(parsing: consent, file: entry.consent ?? "") }
                let known = pictures[entry.study] ?? CardPictures.fetch(loaded.study)
                pictures[entry.study] = known
                let sheet = CardSheet(loaded.study, panel: panel, pictures: known, participant: entry.participant)
                let folder = DeviceFolder(
                    entry, study: entry.isStudyAddress ? nil : loaded.bytes, board: file, consent: consent,
                    encryptedTo: recipients)
                return Device(entry: entry, folder: folder, cards: sheet.html)
            } catch {
                mistakes.append(Explanation(error).within(list.place(entry, column)))
                return nil
            }
        }
        guard mistakes.isEmpty else { throw ListMistakes(mistakes) }
        return devices
    }

    /// The device would refuse the study.
    private func refuseBadAddress(
        of loaded: LoadedStudy, _ terms: EnrolmentPlan, _ entry: ParticipantList.Entry
    ) throws {
        guard let problem = PostAddress(terms.postURL ?? loaded.study.postURL ?? "").problem else { return }
        throw FileError(path: entry.study, message: problem, remedy: loaded.platform.addressRemedy)
    }

    private static let unreachableSounds =
        "the study has sounds, which are fetched at the enrolment: from its card a device enrols before it has a network, "
        + "and refuses the study; give the study's address instead of a file"

    /// The bytes of a board's own file, nil for one that comes with studyd; and the board.
    private func board(_ name: String) throws -> (file: [UInt8]?, board: BoardDescription) {
        let isShipped = Resource.boards.contains(name)
        let path = try Resource.board(name, path: self.path)
        let board = try BoardDescription(at: path)
        guard !board.isSimulated else {
            throw FileError(path: name, message: "is simulated", remedy: "choose the board that was built")
        }
        return (isShipped ? nil : try BoundedFile.read(path), board)
    }

    /// The path of a file that the list names; an address as it is.
    private func path(_ name: String) -> String {
        name.firstRange(of: "://") == nil ? Resource.path(name, namedIn: list) : name
    }

    private func write(_ devices: [Device]) throws {
        try File.makeFolder(output)
        for device in devices { try write(device) }
        let keys = devices.map { $0.folder.keyLine + "\n" }.joined()
        try AtomicFile.write(Array(keys.utf8), to: output + "/devices.csv", mode: 0o600)
    }

    private func write(_ device: Device) throws {
        let folder = output + "/" + device.entry.participant
        for (name, bytes) in device.folder.files {
            let path = folder + "/card/" + name
            try File.makeFolder(String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)))
            try AtomicFile.write(bytes, to: path, mode: 0o600)
        }
        try AtomicFile.write(Array(device.cards.utf8), to: folder + "/cards.html", mode: 0o600)
    }
}
