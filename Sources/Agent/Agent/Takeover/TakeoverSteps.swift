// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// Performs the steps that `TakeoverPlan` decided on; `FolderTakeover` calls `perform` for each in order. As root;
/// blocks.
struct TakeoverSteps: Sendable {
    let folder: SetupFolder
    let setup: SetupFile
    /// Path of the board's file.
    let board: String
    let places: TakeoverPlaces
    let clock: any StudyClock
    let actions: FolderTakeover.Actions

    func perform(_ step: TakeoverPlan.Step) async throws(TakeoverMistake) {
        do {
            switch step {
            case .install: try installPackages()
            case .configure: try configure()
            case .keepSecrets: try keepSecrets()
            case .enrol: try await enrol()
            case .enrolLater: try keepRest(enrolling: true)
            case .enable: try enable()
            case .wipe: try wipe()
            }
        } catch {
            throw error as? TakeoverMistake ?? TakeoverMistake(of: error, otherwise: .failed)
        }
    }

    private func installPackages() throws(TakeoverMistake) {
        let packages = FolderListing.readable(folder.path + "/packages").filter { $0.hasSuffix(".deb") }
        guard !packages.isEmpty else { return }
        let paths = packages.map { folder.path + "/packages/" + $0 }
        let line = [
            "env", "DEBIAN_FRONTEND=noninteractive", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "dpkg", "--force-confold",
            "--install",
        ]
        guard let output = actions.run(line + paths) else { return }
        throw TakeoverMistake(
            .badPackage, at: "packages", "A package cannot be installed:\n\(output)",
            remedy: "put every package that it needs into the folder, too, for this release of the system")
    }

    private func configure() throws {
        // The board file on the device: a copy where it came in the folder.
        var own = board
        try File.makeFolder(places.boardFolder)
        chmod(places.boardFolder, 0o755)
        if board.hasPrefix(folder.path + "/") {
            let name = try boardName()
            own = places.boardFolder + "/" + name
            try File.makeFolder(AtomicFile.folder(of: own))
            for slash in name.indices where name[slash] == "/" {
                chmod("\(places.boardFolder)/\(name[..<slash])", 0o755)
            }
            try write(BoundedFile.read(board), to: own)
        }
        let text = try configurationText(board: own)
        _ = try AgentConfiguration(parsing: text, file: places.configuration, state: places.state)
        let before = try? BoundedFile.text(places.configuration)
        guard before != text else { return }
        if before != nil { rename(places.configuration, places.configuration + ".old") }
        try write(Array(text.utf8), to: places.configuration)
    }

    /// The board file's path below the configuration's folder: as the folder's own configuration names it,
    /// where there is one.
    private func boardName() throws -> String {
        if let name = try folder.configuration(setup)?.board, !name.hasPrefix("/") { return name }
        return board.split(separator: "/").last.map(String.init) ?? "board.toml"
    }

    /// Writes a file that the agent, which is another user, can read whatever the umask.
    private func write(_ bytes: [UInt8], to path: String) throws {
        try AtomicFile.write(bytes, to: path)
        chmod(path, 0o644)
    }

    private func configurationText(board: String) throws -> String {
        if let name = setup.configuration { return try folder.text(of: name) }
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
    private func keepSecrets() throws {
        if let key = setup.deviceKey {
            _ = try StateFolder(places.state)
            try AtomicFile.write(Array((key + "\n").utf8), to: places.deviceKey, mode: 0o600)
        }
        try File.makeFolder(places.credentials)
        let names = FolderListing.readable(folder.path + "/credentials").filter(Self.isCredential)
        for name in names {
            let bytes = try BoundedFile.read(folder.path + "/credentials/" + name, limit: 1 << 20)
            try AtomicFile.write(bytes, to: places.credentials + "/studyd." + name, mode: 0o600)
        }
        guard !names.isEmpty else { return }
        let lines = names.map { "LoadCredential=\($0):\(places.credentials)/studyd.\($0)" }
        try File.makeFolder(AtomicFile.folder(of: places.dropIn))
        try AtomicFile.write(Array((["[Service]"] + lines).joined(separator: "\n").utf8) + [10], to: places.dropIn)
        if let output = actions.run(["systemctl", "daemon-reload"]) {
            throw FileError(path: places.dropIn, message: output)
        }
    }

    private static func isCredential(_ name: String) -> Bool {
        !name.hasPrefix(".") && name.utf8.count <= 64
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }

    private func enrol() async throws {
        let request = try folder.request(setup)
        do { try await actions.enrol(request) } catch {
            if case EnrolmentError.cannotMeasure? = error as? EnrolmentError {
                throw TakeoverMistake(.wrongChip, Explanation(error))
            }
            throw TakeoverMistake(of: error, otherwise: .refusedByStudy)
        }
        try keepRest(enrolling: false)
    }

    /// Notes what `studyd-takeover-finish.service`, which waits for network and cloud-init, has left to do: with
    /// `enrolling` the enrolment too.
    private func keepRest(enrolling: Bool) throws {
        var rest = TakeoverRest(result: folder.result)
        if enrolling {
            rest.request = try folder.request(setup)
            rest.language = folder.language(of: setup)
            // Two devices of one image, without a clock of their own, begin in the same second.
            rest.waitingSince = clock.now.rfc3339(fractionDigits: 3)
        }
        rest.waitsForCloudInit = try !places.endCloudInit()
        try rest.keep(at: places.rest)
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
    private func wipe() throws(TakeoverMistake) {
        let names = ["credentials", setup.consent, setup.configuration, SetupFile.name].compactMap(\.self)
        do throws(FileError) {
            if !places.readsNetworkFile(in: folder.parent) { try WiFiFile.wipe(folder.parent + "/network-config") }
            for name in names { try SecretWipe.wipe(folder.path + "/" + name) }
        } catch { throw TakeoverMistake(.failed, Explanation(error)) }
    }
}
