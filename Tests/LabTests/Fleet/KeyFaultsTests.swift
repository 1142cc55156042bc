// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Study
import SystemKit
import Testing

@testable import Agent
@testable import Lab

/// What becomes of a device and its receiver when a key or a card is not what it was.
@Suite(.timeLimit(.minutes(10))) struct KeyFaultsTests {
    private let now = Instant(seconds: 1_780_000_000)
    private let stamps = EventClock(clock: StillClock(), bootID: "boot", zone: .utc)

    /// The next report of a device with that log: what the receiver answers, and what it signs.
    private func tell(
        _ number: Int64, _ database: StudyDatabase, _ device: TestDevice = TestDevice(1), to url: String
    ) async throws -> (answer: String, countersigned: String?) {
        let stamp = stamps.stamp("e1")
        let witness = try await database.tellHead(report: number, at: stamp)
        let text = FleetSamples.text.replacing("\"number\":17", with: "\"number\":\(number)")
        let (answer, _, countersigned) = try await device.report(text, to: url, at: now, telling: witness)
        if let countersigned { try await database.append([.headConfirmed(countersigned: countersigned)], at: stamp) }
        return (answer, countersigned)
    }

    private func logs(_ url: String) async throws -> String { try await run(["curl", "-s", url + "/api/logs"]) }

    /// The new key is refused, and waits until the lab approves it; then everything goes on.
    @Test func aKeyThatWasLostIsReplacedByTheLabsWord() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceKeys = .pin }, clock: StillClock()) { url, _ in
                let database = try StudyDatabase(.memory)
                #expect(try await tell(1, database, to: url).answer.contains("received"))
                let new = TestDevice(2)
                #expect(try await tell(2, database, new, to: url).answer == "keyUnknown")
                let fault = try #require(LabAnswer.keyUnknown.fault)
                #expect(fault.remedy?.contains("have the lab approve it") == true)
                let keys = try DeviceKeys(.file(folder + "/devices.sqlite"))
                // The name that the request has, and the participant whom the report names.
                for (number, user) in [(3, "board-1"), (4, "P007")] as [(Int64, String)] {
                    #expect(try await tell(number, database, new, to: url).answer == "keyUnknown")
                    #expect(try await keys.approve(user, key: nil, at: now) == 1)
                }
                #expect(try await tell(5, database, new, to: url).answer.contains("received"))
                #expect(try await logs(url).contains("\"alarms\":[]"))
            }
        }
    }

    /// Both go on from one card: same key, same log, same enrolment. Each report is taken, and the logs that
    /// part are named.
    @Test func aCardThatWasCopiedIsNamedAndNeitherLoses() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceKeys = .pin }, clock: StillClock()) { url, _ in
                let path = folder + "/card"
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                let one = try StudyDatabase(.file(path + "/studyd.sqlite"))
                #expect(try await tell(1, one, to: url).answer.contains("received"))
                try FileManager.default.copyItem(atPath: path, toPath: path + "-copy")
                let other = try StudyDatabase(.file(path + "-copy/studyd.sqlite"))
                for number in 2...4 as ClosedRange<Int64> {
                    try await other.append([.agentStarted(version: "copy \(number)")], at: stamps.stamp("e1"))
                    #expect(try await tell(number, one, to: url).answer.contains("received"))
                    #expect(try await tell(number, other, to: url).answer.contains("received"))
                }
                #expect(try await logs(url).contains("or two devices go on from copies of one card"))
                // What the one that was believed has confirmed stays so.
                let confirmed = try await one.confirmedRows()
                #expect(confirmed.faults.isEmpty && !confirmed.confirmations.isEmpty)
                for (index, text) in ["first", "second"].enumerated() {
                    try await upload(text, as: "000005-accelerometer.csv", to: url, number: index)
                }
                let files = try await run(["curl", "-s", url + "/api/files"])
                for text in ["first", "second"] {
                    #expect(files.contains(try Digest(ofText: text).description), "\(files)")
                }
            }
        }
    }

    /// One of the device's recordings, as tus sends it.
    private func upload(_ text: String, as name: String, to url: String, number: Int) async throws {
        func encoded(_ value: String) -> String { Data(value.utf8).base64EncodedString() }
        let labels = [
            ("filename", name), ("sha256", try Digest(ofText: text).description), ("item", "i\(number)"),
            ("participant", "board-1"),
        ].map { "\($0.0) \(encoded($0.1))" }.joined(separator: ",")
        let device = TestDevice(1)
        let tus = ("Tus-Resumable", "1.0.0")
        let creation = try device.options(
            "POST", url + "/files", [tus, ("Upload-Length", "\(text.utf8.count)"), ("Upload-Metadata", labels)])
        let answer = try await run(
            ["curl", "-s", "-i", "--data", "", "-H", "Content-Type:", url + "/files"] + creation)
        let line = try #require(answer.split(separator: "\r\n").first { $0.lowercased().hasPrefix("location: ") })
        let location = String(line.dropFirst(10))
        let place = location.hasPrefix("/") ? url + location : location
        let type = ("Content-Type", "application/offset+octet-stream")
        let piece = try device.options("PATCH", place, [tus, ("Upload-Offset", "0"), type], body: text)
        let end = try await run(["curl", "-s", "-i", "-X", "PATCH", place, "-d", text] + piece)
        #expect(end.hasPrefix("HTTP/1.1 204"), "\(end)")
    }

    /// The reports in between are gone on its side alone: none is called false, and no confirmation.
    @Test(arguments: [1, 6]) func aReceiverThatWasRestoredFromABackupGoesOn(reportsBetween: Int64) async throws {
        try await withFolder { folder in
            let (lab, backup) = (folder + "/lab", folder + "/backup")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let database = try StudyDatabase(.memory)
            func serve(_ body: @Sendable @escaping (String) async throws -> Void) async throws {
                try await withReceiver(lab, { $0.deviceKeys = .pin }, clock: StillClock()) { url, _ in
                    try await body(url)
                }
            }
            try await serve { url in _ = try await tell(1, database, to: url) }
            try FileManager.default.copyItem(atPath: lab, toPath: backup)
            try await serve { url in
                for number in 2..<2 + reportsBetween { _ = try await tell(number, database, to: url) }
            }
            try FileManager.default.removeItem(atPath: lab)
            try FileManager.default.moveItem(atPath: backup, toPath: lab)
            try await serve { url in
                let (answer, countersigned) = try await tell(2 + reportsBetween, database, to: url)
                #expect(answer.contains("received") && countersigned != nil)
                #expect(try await logs(url).contains("\"alarms\":[]"))
            }
            let confirmed = try await database.confirmedRows()
            #expect(confirmed.faults.isEmpty && Set(confirmed.confirmations.map(\.receiver)).count == 1)
        }
    }

    /// Reports go on; what the former key confirmed still holds, and both are listed.
    @Test func aReceiverWithANewKeyIsAnotherWitness() async throws {
        try await withFolder { folder in
            let database = try StudyDatabase(.memory)
            for number in 1...2 as ClosedRange<Int64> {
                try await withReceiver(folder, { $0.deviceKeys = .pin }, clock: StillClock()) { url, _ in
                    let (answer, countersigned) = try await tell(number, database, to: url)
                    #expect(answer.contains("received") && countersigned != nil)
                }
                try FileManager.default.removeItem(atPath: folder + "/receiver.key")
            }
            let confirmed = try await database.confirmedRows()
            #expect(confirmed.faults.isEmpty)
            #expect(Set(confirmed.confirmations.map(\.receiver)).count == 2)
        }
    }

    /// A key that is cut is not replaced behind the lab's back: devices know the receiver by it.
    @Test func aReceiversKeyThatIsDamagedIsNotReplaced() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data("AAEC".utf8).write(to: URL(fileURLWithPath: folder + "/receiver.key"))
            let error = #expect(throws: FileError.self) { try ReceiverKey(in: folder) }
            #expect(error.map { "\($0)".contains("restore it from the backup") } == true)
            #expect(try String(contentsOfFile: folder + "/receiver.key", encoding: .utf8) == "AAEC")
        }
    }

    /// What cannot be read now, as that of another user or of a failing disk, may be the key.
    @Test func aReceiversKeyThatCannotBeReadIsNotReplaced() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let long = Data(repeating: 65, count: 1 << 20 + 1)
            try long.write(to: URL(fileURLWithPath: folder + "/receiver.key"))
            #expect(throws: FileError.self) { try ReceiverKey(in: folder) }
            #expect(FileManager.default.contents(atPath: folder + "/receiver.key") == long)
        }
    }

    /// Printing it makes none, in whatever folder.
    @Test func aFolderThatIsNoReceiversGetsNoKey() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let command = try DevicesCommand.Key.parse(["--data", folder])
            let error = #expect(throws: FileError.self) { try command.run() }
            #expect(error.map { "\($0)".contains("--data") } == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            _ = try ReceiverKey(in: folder)
            try command.run()
        }
    }
}
