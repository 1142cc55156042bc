// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Simulation
import Study
import SystemKit
import Testing

@testable import Agent

@Suite struct DeviceKeyTests {
    private func inState(_ body: (StateFolder) async throws -> Void) async throws {
        try await AgentFixture.inFolder { try await body(StateFolder($0)) }
    }

    /// `basenc --base64url -d` of coreutils reads 32 bytes of it, and all keys differ.
    @Test func aKeyIs32BytesAsOthersReadThem() throws {
        let keys = (0..<20).map { _ in DeviceKey().text }
        #expect(Set(keys).count == 20 && keys.allSatisfy { $0.count == 43 && DeviceKey($0)?.text == $0 })
        let script =
            "for key in \(keys.joined(separator: " ")); do printf %s= $key | basenc --base64url -d | wc -c; done"
        let text = try #require(ReportSchema.output(["sh", "-c", script]))
        #expect(text.split(separator: "\n").map(String.init) == keys.map { _ in "32" })
    }

    /// RFC 4648 §5: this alphabet, no padding; §3.5: no bits left over.
    @Test(arguments: [
        "", "A", String(repeating: "A", count: 42), String(repeating: "A", count: 44),
        String(repeating: "A", count: 42) + "+", String(repeating: "A", count: 42) + "=",
        String(repeating: "A", count: 42) + "B", String(repeating: "A", count: 42) + "é",
    ])
    func whatIsNoKeyIsNone(text: String) { #expect(DeviceKey(text) == nil) }

    @Test func itIsMadeOnceForItsOwnerAlone() async throws {
        try await inState { folder in
            let file = DeviceKeyFile(folder)
            #expect(file.read() == nil)
            let key = try file.prepare()
            #expect(try file.prepare() == key && file.read() == key)
            var status = stat()
            #expect(stat(folder.deviceKey, &status) == 0 && status.st_mode & 0o777 == 0o600)
            // A given one takes its place; after a hand-over there is another.
            let given = DeviceKey()
            #expect(try file.prepare(given) == given && file.read() == given)
            // A code waits behind the key until the receiver has heard it.
            let code = try #require(EnrolmentCode("7K3M-Q0ZD-WX5B"))
            #expect(try file.prepare(code: code) == given && file.read() == given && file.readCode() == code)
            #expect(try file.prepare() == given && file.readCode() == code)
            try file.forgetCode()
            #expect(file.read() == given && file.readCode() == nil)
            file.remove()
            #expect(try file.prepare() != given)
        }
    }

    /// An enrolment makes the key, keeps the one that is there, and takes the one that is given; one
    /// that is refused makes none.
    /// A file that cannot be used stays: it may be what a backup is compared with.
    @Test func oneThatIsGoneIsReplacedOnce() async throws {
        try await inState { folder in
            let file = DeviceKeyFile(folder)
            let lost = try file.prepare()
            file.remove()
            let new = try #require(try file.replaceLost())
            #expect(new != lost && file.read() == new)
            var status = stat()
            #expect(stat(folder.deviceKey, &status) == 0 && status.st_mode & 0o777 == 0o600)
            #expect(try file.replaceLost() == nil)
            try AtomicFile.write(Array("rubbish\n".utf8), to: folder.deviceKey, mode: 0o600)
            #expect(try file.replaceLost() == nil && file.read() == nil)
        }
    }

    @Test func anEnrolmentMakesTheKey() async throws {
        try await inState { folder in
            let file = DeviceKeyFile(folder)
            let clock = VirtualClock(now: ReportBench.start)
            let enroller = Enroller(
                database: try StudyDatabase(.memory), panel: .reference, zone: .utc,
                stamps: EventClock(clock: clock, bootID: "b", zone: .utc),
                media: MediaCache(folder: "/tmp/studyd-no-media"),
                key: file)
            let text = AgentFixture.protocolText(days: 1, times: [(9, 0)])
            var options = EnrolmentOptions(loaded: try LoadedStudy(text, origin: "generated.json"))
            options.without = ["nosuch"]
            await #expect(throws: EnrolmentError.self) { try await enroller.enrol(options) }
            #expect(file.read() == nil)
            options.without = []
            _ = try await enroller.enrol(options)
            let first = try #require(file.read())
            _ = try await enroller.withdraw(deletesUnsent: nil)
            clock.advance(to: clock.monotonic + .seconds(60))
            _ = try await enroller.enrol(options)
            #expect(file.read() == first)
            _ = try await enroller.withdraw(deletesUnsent: nil)
            clock.advance(to: clock.monotonic + .seconds(60))
            let given = DeviceKey()
            options.deviceKey = given
            options.code = EnrolmentCode("7K3M-Q0ZD-WX5B")
            // A used token leaves the key that signs what the earlier participant has still to send.
            options.join = { throw CancellationError() }
            await #expect(throws: CancellationError.self) { try await enroller.enrol(options) }
            #expect(file.read() == first && file.readCode() == nil)
            options.join = nil
            let record = try await enroller.enrol(options)
            #expect(file.read() == given && file.readCode() == options.code && options.code != nil)
            #expect(record.deviceKey == given.publicText)
        }
    }

    @Test func oneThatOthersCanReadOrThatIsNoneIsRefusedByName() async throws {
        try await inState { folder in
            let path = folder.path + "/given"
            try AtomicFile.write(Array((DeviceKey().text + "\n").utf8), to: path, mode: 0o644)
            #expect(throws: FileError.self) { try DeviceKey.given(in: path) }
            chmod(path, 0o600)
            #expect(try DeviceKey(DeviceKey.given(in: path)) != nil)
            try AtomicFile.write(Array("secret\n".utf8), to: path, mode: 0o600)
            let error = #expect(throws: FileError.self) { try DeviceKey.given(in: path) }
            #expect("\(error.map { "\($0)" } ?? "")".contains("43 characters"))
            #expect("\(error.map { "\($0)" } ?? "")".contains("secret") == false)
        }
    }
}
