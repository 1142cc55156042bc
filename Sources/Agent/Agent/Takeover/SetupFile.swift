// SPDX-License-Identifier: Apache-2.0
import Base
import Platforms
import Study
import SystemKit

/// `setup.toml`, the file of a folder that sets a device up for one participant: `studyd provision` or a person writes
/// it, `FolderTakeover` reads it.
package struct SetupFile: Sendable, Hashable {
    package static let name = "setup.toml"

    /// The study: the name of a file beside `setup.toml`, or its address on a server.
    package let study: String
    /// Nil = the platform names the participant.
    package let participant: String?
    /// Options of the study's platform, the token among them. Secret.
    package let arguments: PlatformArguments
    /// The name of the file with the consent, beside `setup.toml`; nil = there is none.
    package let consent: String?
    /// The name of a board that comes with studyd, or of a file beside `setup.toml`; nil where `configuration` names
    /// one.
    package let board: String?
    /// The name of a whole configuration beside `setup.toml`, instead of `board`, `receiver`, `zone`, `language` and
    /// `recipients`; nil = these make one.
    package let configuration: String?
    /// Address of the lab's receiver; nil = recordings stay on the device.
    package let receiver: String?
    /// The name of a time zone; nil = the system's.
    package let zone: String?
    package let holdTimes: HoldTimes
    /// The language of the device's own words and of `RESULT.txt`, as `[speech]` of `studyd.toml` names it;
    /// nil = English.
    package let language: String?
    /// 32 bytes in base64url, by which the lab's receiver knows the device. Secret.
    package let deviceKey: String?
    /// The code by which the lab's receiver accepts the device's own key. Secret.
    package let code: EnrolmentCode?
    /// Public keys for which the device encrypts; empty = it encrypts nothing.
    package let recipients: [AgeRecipient]
    private let source: ConfigSource

    /// Reads the file as Windows or another system wrote it; throws `TakeoverMistake`.
    package init(parsing bytes: [UInt8]) throws(TakeoverMistake) {
        guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else {
            throw TakeoverMistake(
                .badSetup, at: Self.name, "is saved as UTF-16", remedy: "save it again with the encoding UTF-8")
        }
        do { try self.init(ConfigSource.parse(String(decoding: bytes, as: UTF8.self), file: Self.name)) } catch {
            if let mistake = error as? TakeoverMistake { throw mistake }
            throw TakeoverMistake(.badSetup, Explanation(error))
        }
    }

    private init(_ root: ConfigTable) throws {
        source = root.source
        let study = try root.string("study")
        participant = try Self.participant(root)
        consent = try root.string("consent")
        board = try root.string("board")
        configuration = try root.string("configuration")
        receiver = try root.string("receiver").map { try root.address("receiver", $0) }
        zone = try Self.zone(root)
        holdTimes = try root.choice("hold_times", HoldTimes.self) ?? .usual
        language = try SpeechSettings.language(root)
        deviceKey = try Self.deviceKey(root)
        code = try Self.code(root)
        recipients = try EncryptionSettings.recipients(root, "seal") ?? []
        arguments = try Self.arguments(root)
        self.study = study ?? ""
        try root.rejectUnknownKeys()
        if study?.isEmpty != false {
            throw TakeoverMistake(
                .noStudy, at: Self.name, "names no study",
                remedy: "add a line such as: study = \"study.json\" (a file beside it, or an address)")
        }
        if board == nil, configuration == nil {
            throw root.error("board", "is missing", remedy: "add a line such as: board = \"breadboard\"")
        }
        if code != nil, receiver == nil, configuration == nil {
            throw root.error(
                "code", "is for the lab's receiver, and none is named",
                remedy: "add a line such as: receiver = \"https://lab.example.org:8080\"")
        }
        let seal = recipients.first.map { "\($0)" }
        let own = [("board", board), ("receiver", receiver), ("zone", zone), ("language", language), ("seal", seal)]
        // A whole configuration has these itself.
        for (key, value) in own
        where configuration != nil && value != nil {
            throw root.error(key, "is said in the configuration, too", remedy: "remove this line, or 'configuration'")
        }
    }

    /// The language that the file names, also where something else in it is wrong; nil where it names none.
    static func language(in bytes: [UInt8]) -> String? {
        guard let root = try? ConfigSource.parse(String(decoding: bytes, as: UTF8.self), file: name) else { return nil }
        return try? SpeechSettings.language(root)
    }

    /// Whether the study is fetched from its server, and not read from a file in the folder.
    package var isStudyAddress: Bool { study.firstRange(of: "://") != nil }

    /// `setup.toml, line 4 (board)`, as an assistant looks for it.
    func place(_ key: String) -> String {
        Self.name + (source.line(of: key).map { ", line \($0) (\(key))" } ?? "")
    }

    private static func participant(_ root: ConfigTable) throws -> String? {
        let name = try root.string("participant")
        if let name, !Pseudonym.isSendable(name) {
            throw root.error("participant", "cannot be '\(String(name.prefix(200)).shown)'", remedy: Pseudonym.remedy)
        }
        return name
    }

    private static func zone(_ root: ConfigTable) throws -> String? {
        guard let zone = try root.string("zone") else { return nil }
        do { _ = try SystemZone.load(zone) } catch {
            throw root.error("zone", error, remedy: SystemZone.remedy(zone))
        }
        return zone
    }

    private static func deviceKey(_ root: ConfigTable) throws -> String? {
        guard let key = try root.string("device_key") else { return nil }
        guard DeviceKey.isPlain(key), key.utf8.count == 43 else {
            throw root.error(
                "device_key", "is not a key of 43 letters and digits", remedy: "copy it whole, or remove it")
        }
        return key
    }

    private static func code(_ root: ConfigTable) throws -> EnrolmentCode? {
        guard let text = try root.string("code") else { return nil }
        guard let code = EnrolmentCode(text) else {
            throw root.error(
                "code", "is no code of twelve letters and digits such as 7K3M-Q0ZD-WX5B",
                remedy: "copy it whole from the lab's list, or remove it")
        }
        return code
    }

    /// `token`, and the table `[options]` with the options of `studyd enroll`. A token that shows by
    /// itself that it is wrong is refused here, without its server.
    private static func arguments(_ root: ConfigTable) throws -> PlatformArguments {
        var arguments = PlatformArguments()
        if let token = try root.string("token") { arguments.add("token", token) }
        if let table = try root.table("options") {
            for option in PlatformCatalog.standard.options([.reading, .enrolling]) {
                if option.value == nil {
                    if try table.boolean(option.name) == true { arguments.add(option.name) }
                } else if let value = try table.string(option.name) {
                    arguments.add(option.name, value)
                }
            }
        }
        do { try PlatformCatalog.standard.check(arguments) } catch {
            guard Explanation(error).place == "--token" else { throw root.error("options", error) }
            let line = root.source.line(of: "token") ?? root.source.line(of: "options")
            throw TakeoverMistake(
                .badToken, at: "\(name)" + (line.map { ", line \($0) (token)" } ?? ""), Explanation(error).cause,
                remedy: "compare every letter with the list of the study; nothing was sent")
        }
        return arguments
    }
}
