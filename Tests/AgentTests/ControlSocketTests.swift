// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization
import Testing
import Times

@testable import Agent

@Suite(.timeLimit(.minutes(10))) struct ControlSocketTests {
    /// Serves on a thread of its own while `body` runs.
    private func serving(
        _ handle: @escaping @Sendable (ControlCall) -> Void = echo, _ body: (String) async throws -> Void
    ) async throws {
        try await AgentFixture.inFolder { folder in
            // Nobody is dismissed because the machine is busy.
            let socket = try ControlSocket(path: folder + "/control.sock", patience: .seconds(600))
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
            return String(
                decoding: ControlLine.receive(from: descriptor, within: .seconds(120)) ?? [], as: UTF8.self)
        }
    }

    /// A socket at which every call gets the same bytes, whatever it says: an agent of another version.
    private func answering(_ line: String, _ body: (String) async throws -> Void) async throws {
        try await AgentFixture.inFolder { folder in
            let path = folder + "/control.sock"
            let address = try #require(sockaddr_un(path: path))
            let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(listener) }
            #expect(address.withAddress { bind(listener, $0, $1) } == 0 && listen(listener, 1) == 0)
            async let served: Void = onThread("test-agent") {
                let caller = accept(listener, nil, nil)
                _ = ControlLine.receive(from: caller, within: .seconds(120))
                ControlLine.send(Array((line + "\n").utf8), to: caller)
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
            .withdraw(deletesUnsent: nil, deletesData: true), .outbox(order: .delete(id: "ab")),
            .outbox(order: .resendDelivered(since: "2h", until: nil)),
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
            for bytes in ["", "\n", "hello\n", "{\"version\":3}\n", "{\"version\":3,\"request\":{\"x", "[[[[[[[[\n"] {
                let reply = try await Self.raw(path, Array(bytes.utf8))
                #expect(
                    reply.contains("\"succeeded\":false")
                        && (reply.contains("JSON") || reply.contains("unknown request")), "\(bytes) \(reply)")
            }
            let answer = try await Self.ask(path)
            #expect(answer != nil)
        }
    }

    @Test func aRequestBeyondTheLimitIsRefused() async throws {
        try await serving { path in
            let bytes = [UInt8](repeating: UInt8(ascii: " "), count: ControlLine.limit + 10_000)
            let reply = try? await Self.raw(path, bytes)
            #expect(reply?.contains("\"succeeded\":false") != false)
            let answer = try await Self.ask(path)
            #expect(answer == .done(text: "\(Self.question)"))
        }
    }

    /// The lines are those of version 1 as it was released: `{"verb":…,"options":…}` and `{"succeeded":…,"text":…}`; and of one that is not there yet.
    @Test func whoeverSpeaksAnotherVersionIsToldWhichEndIsOlder() async throws {
        let nothing: @Sendable (ControlCall) -> Void = { _ in _ = Issue.record("nothing is done") }
        try await serving(nothing) { path in
            let old = try await Self.raw(path, Array("{\"verb\":\"withdraw\",\"options\":{}}\n".utf8))
            // Both members, which version 1 decodes.
            #expect(
                old.contains("\"succeeded\":false") && old.contains("\"text\":\"this command is older than"), "\(old)")
            let new = try await Self.raw(path, Array("{\"version\":4,\"request\":{\"withdraw\":{}}}\n".utf8))
            #expect(
                new.contains("\"version\":3") && new.contains("the running studyd is older than this command"), "\(new)"
            )
        }
        for (line, words) in [
            ("{\"succeeded\":false,\"text\":\"the request was not one line of JSON\"}", "the running studyd is older"),
            ("{\"succeeded\":true,\"text\":\"done\"}", "the running studyd is older"),
            ("{\"version\":4,\"answer\":{\"done\":{\"text\":\"x\"}}}", "this command is older"),
        ] {
            try await answering(line) { path in
                guard case .refused(let reason) = try await Self.ask(path) else {
                    Issue.record("\(line)")
                    return
                }
                #expect(reason.hasPrefix(words) && reason.contains("nothing was changed"), "\(reason)")
            }
        }
    }

    @Test func whereNobodyListensThereIsNoReply() throws {
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

    /// The other end of a socket says nothing: a shell that holds it open (`nc -U`), or eighty of them. Whoever is still listened to when the call is
    /// answered was not waited for: poll(2) has neither a refusal nor an end of theirs.
    @Test func silentCallersHoldUpNobody() async throws {
        try await serving { path in
            // On a thread: connecting waits while the queue is full, and the one who empties it may need the pool to begin.
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

    /// Somebody asks and takes nothing of a long answer, of which a socket holds no more than `net.core.wmem_default` (socket(7)): forty of them, and the next
    /// is answered while each of theirs still waits to be taken.
    @Test func whoTakesNothingHoldsUpNobody() async throws {
        let long = String(repeating: "x", count: 1 << 22)
        let answer: @Sendable (ControlCall) -> Void = { $0.reply(.done(text: $0.request == .graphs ? long : "short")) }
        try await serving(answer) { path in
            let deaf = try await onThread("test-deaf") {
                try (0..<40).map { _ in
                    let descriptor = try #require(try ControlClient(path: path).connection())
                    let line = ControlLine.line(.graphs)
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
}
