// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Base
import Glibc
import SystemKit

struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", _superCommandName: "study-receiver",
        abstract:
            "The keys of devices: list, approve, revoke, forget, import, codes; and the receiver's own. A running study-receiver heeds changes at once.",
        discussion: "Example: study-receiver devices list --data receiver-data",
        subcommands: [List.self, Approve.self, Revoke.self, Forget.self, Import.self, Codes.self, Key.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "List keys (participant, state, public key, last used) and unused enrolment codes (participant, until when).",
            discussion: "Example: study-receiver devices list --json")
        @OptionGroup var folder: DataFolderOption
        @Flag(help: "Print one JSON object per line.")
        var json = false

        func run() async throws {
            for line in try await lines(folder.open(), at: SystemClock().now) { print(line) }
        }

        func lines(_ keys: DeviceKeys, at now: Instant) async throws -> [String] {
            let (rows, codes) = (try await keys.list(), try await keys.openCodes(at: now))
            if json { return rows.map(\.json.text) + codes.map(\.json.text) }
            return rows.map(\.line) + codes.map(\.line)
        }
    }

    struct Approve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Make a key good: the one that waits or, of several, this one. Takes back the revocation of a name without keys.",
            discussion: "Example: study-receiver devices approve P-017")
        @OptionGroup var folder: DataFolderOption
        @Argument(help: "Participant.") var participant: String
        @Argument(help: "The public key, or its first \(DeviceKeys.leastDigits) digits at least.") var key: String?

        func validate() throws {
            guard key.map(DeviceKeys.isBeginning) ?? true else {
                throw ValidationError("KEY is the public key, or its first \(DeviceKeys.leastDigits) digits at least")
            }
        }

        func run() async throws { print(try await approve()) }

        func approve() async throws -> String {
            let keys = try folder.open()
            try await folder.checkOpen([participant])
            let known = try await keys.rows(of: participant)
            let waiting = known.filter { $0.state == .waiting }
            guard key != nil || waiting.count < 2 else {
                throw CommandError(
                    "several keys wait for \(participant)",
                    "name one: \(waiting.map { String($0.key.prefix(12)) }.joined(separator: ", "))")
            }
            let count = try await keys.approve(participant, key: key, at: SystemClock().now)
            guard key == nil || count < 2 else {
                throw CommandError("\(count) keys of \(participant) begin so", "give more digits; none was approved")
            }
            let revoked = known.filter { $0.state == .revoked && !$0.key.isEmpty }.map { String($0.key.prefix(12)) }
            guard count > 0 || key != nil || revoked.isEmpty else {
                throw CommandError(
                    "no key of \(participant) waits, and a revoked one has to be named",
                    "add it to the command, or approve it on the page: \(revoked.joined(separator: ", "))")
            }
            if count == 0, key == nil, try await keys.reopen(participant) {
                try await folder.log(.approve, participant, "the name, without a key")
                return "\(participant) is no longer revoked; with --device-keys pin the next key that signs is pinned"
            }
            guard count > 0 else {
                throw CommandError(
                    "no such key of \(participant)",
                    "it waits here once its device has sent something; or use 'study-receiver devices import'")
            }
            try await folder.log(.approve, participant, Plural.of(count, "key"))
            return "approved \(Plural.of(count, "key")) of \(participant)"
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Refuse everything in this participant's name (403) until another key is approved.",
            discussion: "Example: study-receiver devices revoke P-017")
        @OptionGroup var folder: DataFolderOption
        @Argument(help: "Participant.") var participant: String

        func run() async throws {
            let keys = try folder.open()
            let isKnown = try await !keys.rows(of: participant).isEmpty
            try await keys.revoke(participant, at: SystemClock().now)
            try await folder.log(.revoke, participant, "every key")
            print("revoked \(participant)")
            if !isKnown {
                print(
                    "no key of \(participant) was known: 'study-receiver devices list' shows how the others are spelled"
                )
            }
        }
    }

    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Remove what devices in this participant's name reported, and their keys; what they delivered stays.",
            discussion: "Example: study-receiver devices forget P-017")
        @OptionGroup var folder: DataFolderOption
        @Argument(help: "Participant.") var participant: String

        func run() async throws {
            // Opened first: nothing goes that cannot be noted.
            let (keys, register) = (try folder.open(), try folder.register())
            let reports = try await FleetArchive(.file("\(folder.data)/fleet.sqlite")).forget(participant)
            let (removed, isRevoked) = try await keys.forget(participant)
            let all = reports + (removed > 0 ? [Plural.of(removed, "key")] : [])
            guard !all.isEmpty || isRevoked else {
                throw CommandError(
                    "nothing is known of a device of \(participant)",
                    "the page and 'study-receiver devices list' name all")
            }
            let forgotten = all.isEmpty ? "nothing" : all.joined(separator: ", ")
            print("forgot \(participant): \(forgotten)")
            print("files and answers stay; a device that still reports is a new one")
            if isRevoked { print("\(participant) stays revoked") }
            try await register.log(.forget, participant, after: forgotten, by: "command", at: SystemClock().now)
        }
    }

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Approve the keys of a file of lines `participant,key`; all of them or, where one is wrong, none.",
            discussion: "Example: study-receiver devices import keys.csv")
        @OptionGroup var folder: DataFolderOption
        @Argument(help: "The file.") var file: String

        func run() async throws {
            let keys = try DeviceKeyList(try BoundedFile.read(file, limit: 8 << 20), from: file).keys
            let open = try folder.open()
            try await folder.checkOpen(keys.map { $0.user })
            let revoked = try await open.add(keys, at: SystemClock().now)
            let approved = Plural.of(keys.count - revoked.count, "key")
            try await folder.log(.keys, "", approved)
            print("approved \(approved)")
            for user in revoked {
                print(
                    "\(user.shown): this key stays revoked; 'study-receiver devices approve' with the key takes it back"
                )
            }
        }
    }

    struct Codes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Give each participant a code for 'studyd enroll --code': the first key that comes with it is approved. Prints lines `participant,code`.",
            discussion: "Example: study-receiver devices codes --valid-days 14 P-017 P-018")
        @OptionGroup var folder: DataFolderOption
        @Option(help: ArgumentHelp("How long they are good.", valueName: "days")) var validDays = 30
        @Argument(help: "Participants.") var participants: [String]

        func validate() throws {
            guard (1...3650).contains(validDays) else { throw ValidationError("--valid-days is 1 to 3650") }
            // The names that a device may have: with another the code could never be used. Each is printed on one line.
            if let wrong = participants.first(where: { $0.isEmpty || $0 != $0.oneLine(DeviceName.longest) }) {
                throw ValidationError(
                    "'\(wrong.shown)': a participant has 1 to \(DeviceName.longest) characters, without line breaks, "
                        + "tabs, or spaces at the ends")
            }
        }

        func run() async throws {
            let until = SystemClock().now + .seconds(validDays * 86_400)
            let keys = try folder.open()
            try await folder.checkOpen(participants)
            let codes = try await keys.giveCodes(to: participants, until: until)
            for (participant, code) in zip(participants, codes) { print("\(participant),\(code.text)") }
            try await folder.log(.keys, "", Plural.of(codes.count, "code"))
        }
    }

    struct Key: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the receiver's own public key, for 'studyd verify-log --receiver-key'.",
            discussion: "Example: study-receiver devices key --data receiver-data")
        @OptionGroup var folder: DataFolderOption

        func run() throws {
            guard access("\(folder.data)/receiver.key", F_OK) == 0 else {
                throw FileError(
                    path: "\(folder.data)/receiver.key", message: "is not there",
                    remedy: "name the server's folder by --data; the server makes its key when it first starts")
            }
            print(try ReceiverKey(in: folder.data).publicText)
        }
    }
}

extension DeviceKeys.Row {
    fileprivate var line: String {
        "\(user.shown)\t\(state.rawValue)\t\(key.isEmpty ? "(every key)" : key)\t\(last.rfc3339Zulu())"
    }

    fileprivate var json: JSONValue {
        .members([
            "participant": .string(user), "state": .string(state.rawValue), "key": .text(key.isEmpty ? nil : key),
            "last": .string(last.rfc3339Zulu()),
        ])
    }
}

extension EnrolmentCodes.Open {
    fileprivate var line: String { "\(user.shown)\tcode\t(unused, good until)\t\(until.rfc3339Zulu())" }

    fileprivate var json: JSONValue {
        .members(["participant": .string(user), "state": .string("code"), "until": .string(until.rfc3339Zulu())])
    }
}
