// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Simulation
import Synchronization
import SystemKit
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(10))) struct ControlSocketTests {
    /// Serves on a separate thread while `body` runs. By a clock that stands still no caller goes because the
    /// machine is busy.
    private func serving(
        _ handle: @escaping @Sendable (ControlCall) -> Void = echo, clock: VirtualClock = VirtualClock(now: .epoch),
        _ body: (String) async throws -> Void
    ) async throws {
        try await AgentFixture.inFolder { folder in
            let socket = try ControlSocket(path: folder + "/control.sock", clock: clock)
            async let served: Void = onThread("test-serve") { socket.serve(handle) }
            do {
                try await body(folder + "/control.sock")
            } catch {
                socket.stop()
                try await served
                throw error
            }
            socket.stop()
            try await served
            #expect(access(folder + "/control.sock", F_OK) != 0)
        }
    }

    /// Answers with the request's own words.
    private static let echo: @Sendable (ControlCall) -> Void = { $0.reply(.done(text: "\($0.request)")) }
    private static let question = ControlRequest.status(json: false, uploads: true)

    private static func ask(_ path: String, _ request: ControlRequest = question) async throws -> ControlAnswer? {
        try await onThread("test-call") { try ControlClient(path: path).call(request, within: .seconds(120)) }
    }

    /// What an arbitrary program at the other end gets for these bytes.
    private static func raw(_ path: String, _ bytes: [UInt8], closes: Bool = true) async throws -> String {
        try await onThread("test-raw") {
            let descriptor = try #require(try ControlClient(path: path).connection())
            defer { close(descriptor) }
            _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            if closes { shutdown(descriptor, Int32(SHUT_WR)) }
            return Self.line(from: descriptor)
        }
    }

    /// All up to the end of a line or of the connection.
    private static func line(from descriptor: CInt) -> String {
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while line.last != UInt8(ascii: "\n") {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { break }
            line += chunk[..<count]
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// A socket at which every call gets the same bytes, whatever it says: an agent of
    /// another version.
    private func answering(_ line: String, _ body: (String) async throws -> Void) async throws {
        try await AgentFixture.inFolder { folder in
            let path = folder + "/control.sock"
            let address = try #require(sockaddr_un(path: path))
            let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(listener) }
            #expect(address.withAddress { bind(listener, $0, $1) } == 0 && listen(listener, 1) == 0)
            async let served: Void = onThread("test-agent") {
                let caller = accept(listener, nil, nil)
                _ = Self.line(from: caller)
                let bytes = Array((line + "\n").utf8)
                _ = send(caller, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                close(caller)
            }
            try await body(path)
            try await served
        }
    }

    @Test func everyRequestArrivesAsItWas() async throws {
        var wish = EnrolmentRequest(source: "/study \u{e4}\n\".json")
        (wish.participant, wish.seed, wish.allowsSilence) = ("P1", .max, true)
        wish.consent = .init(text: "{}", file: "consent")
        wish.arguments.add("option", "a")
        wish.arguments.add("option", "b")
        let requests: [ControlRequest] = [
            .status(json: true, uploads: false), .facts, .enroll(request: wish), .updateStudy, .graphs,
            .recordConsent(consent: .init(text: "{}", file: "consent")),
            .withdraw(deletesUnsent: nil, deletesData: true), .outbox(order: .delete(id: "ab")),
            .outbox(order: .resendDelivered(since: "2h", until: nil)), .outbox(order: .resendRefused),
            .outbox(order: .resendRecordings(destination: "recordings", since: "2h", until: "1h")),
        ]
        let seen = Mutex<[ControlRequest]>([])
        let note: @Sendable (ControlCall) -> Void = { call in
            seen.withLock { $0.append(call.request) }
            call.reply(.done(text: "done"))
        }
        try await serving(note) { path in
            for request in requests {
                let answer = try await Self.ask(path, request)
                #expect(answer == .done(text: "done"))
            }
        }
        #expect(seen.withLock { $0 } == requests)
    }

    @Test func aReplyOfManyPacketsArrivesWhole() async throws {
        let long = String(repeating: "line of a long status\n", count: 20_000)
        let answer: @Sendable (ControlCall) -> Void = { $0.reply(.done(text: long)) }
        try await serving(answer) { path in
            let answer = try await Self.ask(path)
            #expect(answer == .done(text: long))
        }
    }

    @Test func whatIsNoRequestIsToldSoAndTheNextIsServed() async throws {
        try await serving { path in
            for bytes in [
                "", "\n", "hello\n", "{\"version\":1}\n", "{\"version\":1,\"content\":{\"x", "[[[[[[[[\n",
                "{\"version\":1,\"content\":{\"facts\":{}}", "{\"version\":1,\"content\":{\"unknown\":{}}}\n",
            ] {
                let reply = try await Self.raw(path, Array(bytes.utf8))
                #expect(reply.contains("\"refused\"") && reply.contains("restart studyd"), "\(bytes) \(reply)")
            }
            let answer = try await Self.ask(path)
            #expect(answer != nil)
        }
    }

    /// The line counts with its end.
    @Test(arguments: [(ControlLine.limit - 1, true), (ControlLine.limit, true), (ControlLine.limit + 1, false)])
    func aRequestMayBeAsLongAsTheLimit(_ length: Int, _ isTaken: Bool) async throws {
        try await serving { path in
            let line = ControlLine.line(Self.question)
            let bytes = [UInt8](repeating: UInt8(ascii: " "), count: length - line.count) + line
            let reply = try await Self.raw(path, bytes, closes: false)
            #expect(reply.contains("\"done\"") == isTaken)
            let answer = try await Self.ask(path)
            #expect(answer == .done(text: "\(Self.question)"))
        }
    }

    /// A package is installed while the agent of the one before runs.
    @Test func whoeverSpeaksAnotherVersionIsToldToRestartAndNothingIsDone() async throws {
        let nothing: @Sendable (ControlCall) -> Void = { _ in _ = Issue.record("nothing is done") }
        try await serving(nothing) { path in
            for version in [0, 2] {
                let line = "{\"version\":\(version),\"content\":{\"updateStudy\":{}}}\n"
                let reply = try await Self.raw(path, Array(line.utf8))
                #expect(
                    reply.contains("of different versions") && reply.contains("systemctl restart studyd"), "\(reply)")
            }
        }
        for line in [
            "{\"version\":2,\"content\":{\"done\":{\"text\":\"x\"}}}", "{\"version\":1,\"content\":{\"x\":{}}}", "",
        ] {
            try await answering(line) { path in
                let answer = try await Self.ask(path)
                guard case .refused(let reason) = answer else {
                    Issue.record("\(line): \(String(describing: answer))")
                    return
                }
                #expect(reason.contains("of different versions; nothing was changed"), "\(reason)")
            }
        }
    }

    /// A byte now and then is not a line: the time is for all of it, and others are
    /// served meanwhile.
    @Test func aCallerWhoSendsByteByByteIsLeftAfterItsTime() async throws {
        let clock = VirtualClock(now: .epoch)
        try await serving(clock: clock) { path in
            let slow = try #require(try ControlClient(path: path).connection())
            defer { close(slow) }
            let space = [UInt8(ascii: " ")]
            for second in 0...5 {
                clock.advance(to: MonotonicTime.zero + .seconds(second))
                // It was called after the slow one, and is served after it.
                let answer = try await Self.ask(path)
                #expect(answer == .done(text: "\(Self.question)"))
                var waiting = pollfd(fd: slow, events: Int16(POLLIN), revents: 0)
                let isLeft = poll(&waiting, 1, 0) == 1
                #expect(isLeft == (second == 5), "\(second)")
                _ = send(slow, space, 1, Int32(MSG_NOSIGNAL))
            }
        }
    }

    /// What the agent takes longer for than a caller's patience is answered all the same.
    @Test func theAgentsOwnWorkMayTakeLonger() async throws {
        let calls = Mutex<[ControlCall]>([])
        let keep: @Sendable (ControlCall) -> Void = { call in
            if call.request == .graphs { return call.reply(.done(text: "at once")) }
            calls.withLock { $0.append(call) }
        }
        let clock = VirtualClock(now: .epoch)
        try await serving(keep, clock: clock) { path in
            async let slow = Self.ask(path)
            while calls.withLock({ $0.isEmpty }) { _ = try await Self.ask(path, .graphs) }
            clock.advance(to: MonotonicTime.zero + .seconds(3600))
            let answer = try await Self.ask(path, .graphs)
            #expect(answer == .done(text: "at once"))
            for call in calls.withLock({ $0 }) { call.reply(.done(text: "late")) }
            let late = try await slow
            #expect(late == .done(text: "late"))
        }
    }

    /// A caller who began to wait before, and waits longer, still gets the answer afterwards.
    @Test func anAnswerThatDoesNotComeInTimeIsNotWaitedFor() async throws {
        let calls = Mutex<[ControlCall]>([])
        let keep: @Sendable (ControlCall) -> Void = { call in
            if call.request == .graphs { return call.reply(.done(text: "at once")) }
            calls.withLock { $0.append(call) }
        }
        try await serving(keep) { path in
            async let patient = Self.ask(path)
            while calls.withLock({ $0.isEmpty }) { _ = try await Self.ask(path, .graphs) }
            let answer = try await onThread("test-call") {
                try ControlClient(path: path).call(Self.question, within: .milliseconds(1))
            }
            #expect(answer == .refused(reason: "studyd did not answer in time"))
            calls.withLock { $0 }.first?.reply(.done(text: "late"))
            let late = try await patient
            #expect(late == .done(text: "late"))
        }
    }

    @Test func withoutAListenerThereIsNoReply() throws {
        #expect(try ControlClient(path: "/tmp/studyd-no-such-socket").call(Self.question) == nil)
    }

    @Test func aSecondAgentIsRefusedAndADeadOnesSocketReplaced() async throws {
        try await AgentFixture.inFolder { folder in
            let path = folder + "/control.sock"
            do {
                let first = try ControlSocket(path: path)
                let error = #expect(throws: ConfigError.self) { try ControlSocket(path: path) }
                #expect(error?.message.contains("another studyd") == true)
                first.close()
            }
            // The file is still there, as after a power cut.
            #expect(access(path, F_OK) == 0)
            let second = try ControlSocket(path: path)
            second.stop()
            second.serve { _ in }
        }
    }

    @Test func onlyItsUserAndGroupMayConnect() async throws {
        try await serving { path in
            var info = stat()
            #expect(stat(path, &info) == 0)
            #expect(info.st_mode & 0o777 == 0o660)
        }
    }

    @Test func aPathTooLongForASocketIsExplained() {
        let error = #expect(throws: ConfigError.self) {
            try ControlSocket(path: "/tmp/" + String(repeating: "x", count: 200))
        }
        #expect(error?.message.contains("--state") == true)
    }

    /// The other end of a socket says nothing: a shell that holds it open (`nc -U`), or eighty of
    /// them. A caller that is still listened to when the call is answered was not waited for:
    /// poll(2) shows neither a refusal nor an end of it.
    @Test func silentCallersDoNotHoldUpOthers() async throws {
        try await serving { path in
            // On a thread: connecting waits while the queue is full, and the one who empties it may
            // need the pool to begin.
            let silent = try await onThread("test-silent") {
                try (0..<80).map { _ in try #require(try ControlClient(path: path).connection()) }
            }
            defer { for descriptor in silent { close(descriptor) } }
            _ = send(silent[79], Array("{\"verb\":".utf8), 8, Int32(MSG_NOSIGNAL))
            let answer = try await Self.ask(path)
            #expect(answer == .done(text: "\(Self.question)"))
            var last = pollfd(fd: silent[79], events: Int16(POLLIN), revents: 0)
            #expect(poll(&last, 1, 0) == 0, "the last of them is still waited for")
        }
    }

    /// Somebody asks and takes nothing of a long answer, of which a socket holds no more than
    /// `net.core.wmem_default` (socket(7)): forty of them, and the next is answered while each of
    /// theirs still waits to be taken.
    @Test func callersThatReadNothingDoNotHoldUpOthers() async throws {
        let long = String(repeating: "x", count: 1 << 22)
        let answer: @Sendable (ControlCall) -> Void = { $0.reply(.done(text: $0.request == .graphs ? long : "short")) }
        try await serving(answer) { path in
            let deaf = try await onThread("test-deaf") {
                try (0..<40).map { _ in
                    let descriptor = try #require(try ControlClient(path: path).connection())
                    let line = ControlLine.line(ControlRequest.graphs)
                    _ = send(descriptor, line, line.count, Int32(MSG_NOSIGNAL))
                    return descriptor
                }
            }
            defer { for descriptor in deaf { close(descriptor) } }
            let answer = try await Self.ask(path)
            #expect(answer == .done(text: "short"))
            let taken = try await onThread("test-take") { () -> Int in
                var first = [UInt8](repeating: 0, count: 1)
                return recv(deaf[39], &first, 1, 0)
            }
            #expect(taken == 1, "the last of them is still answered")
        }
    }

    /// proc(5): what is open is listed in /proc/self/fd.
    @Test func aClientWithoutAnAgentLeavesNothingOpen() throws {
        let before = FolderListing.readable("/proc/self/fd").count
        for _ in 0..<400 { #expect(try ControlClient(path: "/tmp/studyd-absent/control.sock").connection() == nil) }
        #expect(FolderListing.readable("/proc/self/fd").count - before < 200)
    }
}
