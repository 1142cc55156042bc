// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study
import SystemKit
import Testing

@testable import Agent

@Suite struct TakeoverFinishTests {
    /// A device that waits for its study's server.
    private func waiting() async throws -> TakeoverFixture {
        let machine = try TakeoverFixture()
        machine["setup.toml"] = TakeoverFixture.setup(study: "https://study.example.org/p.json")
        _ = await machine.takeOver()
        return machine
    }

    @Test func withoutANetworkItWaitsAndWithOneItEnrols() async throws {
        let machine = try await waiting()
        var isOnline = false
        var asked: [String] = []
        var finish = TakeoverFinish(
            places: machine.places, clock: machine.clock,
            reaches: { server in
                asked.append(server)
                return isOnline
            },
            enrol: { [places = machine.places, clock = machine.clock, boot = machine.boot] request in
                var local = EnrolmentRequest(source: boot + "/studyd/study.json")
                local.participant = request.participant
                try await TakeoverFixture.enrol(local, places, clock)
                return true
            })
        #expect(try await finish.takeTurn() == false)
        #expect(TakeoverRest.read(machine.places.rest)?.request != nil)
        isOnline = true
        #expect(try await finish.takeTurn())
        #expect(asked == ["https://study.example.org/p.json", "https://study.example.org/p.json"])
        #expect(TakeoverRest.read(machine.places.rest) == nil)
        #expect(machine.result.hasPrefix("Taken over: the device takes part in the study."))
        #expect(try await finish.takeTurn(), "with nothing left it ends")
    }

    /// It was pulled out meanwhile. Who takes part may be named by the server; what another device's stick
    /// says stays.
    @Test(arguments: [("P001", true), ("named-by-the-server", true), ("P001", false)])
    func aStickThatComesBackSaysThatTheDeviceIsEnrolled(participant: String, isOwn: Bool) async throws {
        let machine = try await waiting()
        let date = "Date (by the device's clock): "
        let before = isOwn ? machine.result : machine.result.replacing(date + "2", with: date + "1")
        var finish = TakeoverFinish(
            places: machine.places, clock: machine.clock, reaches: { _ in true },
            enrol: { [places = machine.places, clock = machine.clock, boot = machine.boot] request in
                var local = EnrolmentRequest(source: boot + "/studyd/study.json")
                local.participant = participant
                try await TakeoverFixture.enrol(local, places, clock)
                return true
            }, write: { _, _ in false })
        #expect(try await finish.takeTurn())
        try AtomicFile.write(Array(before.utf8), to: machine.boot + "/RESULT.txt")
        let outcome = await machine.takeOver()
        guard isOwn else { return #expect(outcome == nil && machine.result == before) }
        #expect(outcome == .taken(participant: participant, study: "GENERATED", remarks: []))
        #expect(machine.result.contains("Taken over: the device takes part in the study."))
        #expect(await machine.takeOver() == nil && TakeoverRest.read(machine.places.rest) == nil, "it is said once")
    }

    /// `rename` puts another file in its place (rename(2)), and so another inode.
    @Test func waitingWritesNothing() async throws {
        let machine = try await waiting()
        var finish = TakeoverFinish(
            places: machine.places, clock: machine.clock, reaches: { _ in false }, enrol: { _ in false })
        var (before, after) = (stat(), stat())
        #expect(stat(machine.places.rest, &before) == 0)
        #expect(try await finish.takeTurn() == false)
        #expect(stat(machine.places.rest, &after) == 0 && after.st_ino == before.st_ino)
    }

    @Test func aServerThatRefusesThreeTimesIsBelievedAndTheNextBootSignalsIt() async throws {
        let machine = try await waiting()
        var finish = TakeoverFinish(
            places: machine.places, clock: machine.clock, reaches: { _ in true },
            enrol: { _ in throw EnrolmentError.takesNobodyAgain("S1") })
        for turn in 1...3 {
            #expect(try await finish.takeTurn() == (turn == 3))
            machine.clock.advance(to: machine.clock.monotonic + .seconds(300))
        }
        #expect(machine.result.hasPrefix("NOT taken over") && machine.result.contains("S1"))
        #expect(await machine.takeOver()?.rhythm.description.hasSuffix("-- ....") == true)
    }

    /// A proxy answers 502 while the server behind it is restarted (RFC 9110 §15.6.3): for nine minutes,
    /// and the unit takes a turn every ten seconds.
    @Test func aServerThatIsRestartedHasNotRefused() async throws {
        let machine = try await waiting()
        let start = machine.clock.monotonic
        var finish = TakeoverFinish(
            places: machine.places, clock: machine.clock, reaches: { _ in true },
            enrol: { [places = machine.places, clock = machine.clock, boot = machine.boot] request in
                guard clock.monotonic >= start + .seconds(540) else {
                    throw TransportError(kind: .other, url: request.source, message: "502 Bad Gateway")
                }
                var local = EnrolmentRequest(source: boot + "/studyd/study.json")
                local.participant = request.participant
                try await TakeoverFixture.enrol(local, places, clock)
                return true
            })
        for _ in 0..<60 {
            #expect(try await finish.takeTurn() == false)
            machine.clock.advance(to: machine.clock.monotonic + .seconds(10))
        }
        #expect(try await finish.takeTurn())
        #expect(machine.result.hasPrefix("Taken over"), "\(machine.result)")
    }

    @Test func anAgentThatDoesNotRunYetIsNoRefusal() async throws {
        let machine = try await waiting()
        var finish = TakeoverFinish(
            places: machine.places, clock: machine.clock, reaches: { _ in true }, enrol: { _ in false })
        for _ in 1...4 { #expect(try await finish.takeTurn() == false) }
    }

    /// What a file system replaces stays on the card until something else is written there: a second name of it
    /// shows what that is.
    @Test func onceItHasEnrolledItsTokenIsOverwritten() throws {
        let folder = try TemporaryFolder("rest")
        let (path, old) = (folder.path + "/rest", folder.path + "/old")
        var rest = TakeoverRest(result: "RESULT.txt")
        rest.request = EnrolmentRequest(source: "https://a.example/TOKEN")
        rest.waitingSince = "2026-11-26T10:00:00Z"
        try rest.keep(at: path)
        try #require(link(path, old) == 0)
        rest.request = nil
        try rest.keep(at: path)
        #expect(TakeoverRest.read(path) == rest)
        let left = String(decoding: try BoundedFile.read(old, limit: 1 << 20), as: UTF8.self)
        #expect(!left.contains("TOKEN"))
        rest.waitingSince = nil
        try rest.keep(at: path)
        #expect(access(path, F_OK) != 0)
    }

    /// A platform's own kind of address leads to a server of that name by HTTPS.
    @Test(arguments: [
        ("https://a.example/p", "https://a.example/p"), ("http://10.0.0.2:8080/p", "http://10.0.0.2:8080/p"),
        ("own://a.example/12-KEY", "https://a.example"), ("study.json", nil),
    ])
    func theServerThatIsTriedBelongsToTheStudy(_ source: String, _ server: String?) {
        var rest = TakeoverRest(result: "")
        rest.request = EnrolmentRequest(source: source)
        #expect(rest.server == server)
    }
}
