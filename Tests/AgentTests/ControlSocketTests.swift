// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing
import Times

@testable import Agent

@Suite(.timeLimit(.minutes(10))) struct ControlSocketTests {
    /// Serves on a thread of its own while `body` runs.
    private func serving(
        _ handle: @escaping @Sendable (ControlCall) -> Void, _ body: (String) async throws -> Void
    ) async throws {
        try await AgentFixture.inFolder { folder in
            let socket = try ControlSocket(path: folder + "/control.sock")
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

    private static let echo: @Sendable (ControlCall) -> Void = { call in
        let options = call.request.options.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        call.reply(ControlReply(succeeded: true, text: ([call.request.verb] + options).joined(separator: " ")))
    }

    /// What an arbitrary program at the other end gets for these bytes.
    private static func raw(_ path: String, _ bytes: [UInt8], closes: Bool = true) throws -> ControlReply? {
        let descriptor = try #require(try ControlClient(path: path).connection())
        defer { close(descriptor) }
        _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        if closes { shutdown(descriptor, Int32(SHUT_WR)) }
        return ControlLine.receive(from: descriptor, within: .seconds(120))
    }

    @Test func aCallIsAnswered() async throws {
        try await serving(Self.echo) { path in
            for number in 0..<3 {
                let request = ControlRequest(verb: "status", options: ["json": "ä\n\"\(number)", "uploads": ""])
                let reply = try await onThread("test-call") { try ControlClient(path: path).call(request) }
                #expect(reply == ControlReply(succeeded: true, text: "status json=ä\n\"\(number) uploads="))
            }
        }
    }

    @Test func aReplyOfManyPacketsArrivesWhole() async throws {
        let long = String(repeating: "line of a long status\n", count: 20_000)
        let answer: @Sendable (ControlCall) -> Void = { $0.reply(ControlReply(succeeded: true, text: long)) }
        try await serving(answer) { path in
            let reply = try await onThread("test-call") {
                try ControlClient(path: path).call(ControlRequest(verb: "x"))
            }
            #expect(reply?.text == long)
        }
    }

    @Test func whatIsNoRequestIsToldSoAndTheNextIsServed() async throws {
        try await serving(Self.echo) { path in
            for bytes in ["", "\n", "hello\n", "{\"verb\":1}\n", "{\"verb\":\"x\"", "[[[[[[[[\n"] {
                let reply = try await onThread("test-raw") { try Self.raw(path, Array(bytes.utf8)) }
                #expect(reply?.succeeded == false, "\(bytes)")
                #expect(reply?.text.contains("JSON") == true)
            }
            let reply = try await onThread("test-call") {
                try ControlClient(path: path).call(ControlRequest(verb: "x"))
            }
            #expect(reply?.text == "x")
        }
    }

    @Test func aRequestBeyondTheLimitIsRefused() async throws {
        try await serving(Self.echo) { path in
            let bytes = [UInt8](repeating: UInt8(ascii: " "), count: ControlSocket.maximumSize + 10_000)
            let reply = try? await onThread("test-raw") { try Self.raw(path, bytes) }
            #expect(reply?.succeeded != true)
            let next = try await onThread("test-call") { try ControlClient(path: path).call(ControlRequest(verb: "x")) }
            #expect(next?.text == "x")
        }
    }

    @Test func whereNobodyListensThereIsNoReply() throws {
        #expect(try ControlClient(path: "/tmp/studyd-no-such-socket").call(ControlRequest(verb: "status")) == nil)
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
        try await serving(Self.echo) { path in
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
        try await serving(Self.echo) { path in
            let silent = try (0..<80).map { _ in try #require(try ControlClient(path: path).connection()) }
            defer { for descriptor in silent { close(descriptor) } }
            _ = send(silent[79], Array("{\"verb\":".utf8), 8, Int32(MSG_NOSIGNAL))
            let reply = try await onThread("test-call") {
                try ControlClient(path: path).call(ControlRequest(verb: "x"))
            }
            #expect(reply?.text == "x")
            var last = pollfd(fd: silent[79], events: Int16(POLLIN), revents: 0)
            #expect(poll(&last, 1, 0) == 0, "the last of them is still waited for")
        }
    }
}
