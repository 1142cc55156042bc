// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Agent

/// What libcurl's callbacks are given, against the bytes that `pread(2)` has for the same places.
@Suite struct TransferTests {
    private static let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 5) }

    private func withFile(_ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + UUID().uuidString
        try Data(Self.bytes).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private func transfer(_ body: HTTPRequest.Body, _ change: (inout HTTPLimits) -> Void = { _ in }) -> Transfer {
        var limits = HTTPLimits()
        change(&limits)
        let request = HTTPRequest(method: "PUT", url: "http://127.0.0.1/", body: body, limits: limits)
        return Transfer(request, stop: StopFlag(), socket: SocketNote())
    }

    /// Everything that is left, in pieces of `size`; nil where a piece cannot be read.
    private func rest(of transfer: Transfer, in size: Int) -> [UInt8]? {
        var all: [UInt8] = []
        while true {
            var piece = [UInt8](repeating: 0, count: size)
            guard let count = piece.withUnsafeMutableBytes({ transfer.fill($0) }) else { return nil }
            guard count > 0 else { return all }
            all += piece.prefix(count)
        }
    }

    @Test(arguments: [(0, 1000), (300, 700), (300, 1), (999, 1), (1000, 0)], [1, 7, 100, 16_384])
    func aPartOfAFileComesWholeInPieces(_ part: (offset: Int, length: Int), _ size: Int) throws {
        try withFile { path in
            let transfer = transfer(.file(path: path, offset: Int64(part.offset), length: Int64(part.length)))
            #expect(transfer.length == Int64(part.length) && !transfer.isGivenAway)
            #expect(rest(of: transfer, in: size) == Array(Self.bytes[part.offset..<(part.offset + part.length)]))
            #expect(transfer.isGivenAway == (part.length > 0))
            // libcurl goes back where it has to send it again.
            transfer.seek(to: Int64(part.length / 2))
            #expect(!transfer.isGivenAway)
            #expect(
                rest(of: transfer, in: size)
                    == Array(Self.bytes[(part.offset + part.length / 2)..<(part.offset + part.length)]))
        }
    }

    @Test(arguments: [1, 7, 1000]) func bytesComeWholeInPieces(size: Int) {
        let transfer = transfer(.bytes(Self.bytes))
        #expect(rest(of: transfer, in: size) == Self.bytes && transfer.isGivenAway)
        transfer.seek(to: 999)
        #expect(rest(of: transfer, in: size) == [Self.bytes[999]])
    }

    @Test func withoutABodyNothingIsGivenAway() {
        for body in [HTTPRequest.Body.none, .bytes([])] {
            let transfer = transfer(body)
            #expect(rest(of: transfer, in: 8) == [] && !transfer.isGivenAway)
        }
    }

    /// Shorter than it said: half of a body would be taken for the whole.
    @Test func aFileThatEndsEarlyIsNotSent() throws {
        try withFile { path in
            let transfer = transfer(.file(path: path, offset: 500, length: 501))
            #expect(rest(of: transfer, in: 100) == nil && transfer.fileFault?.contains("ends early") == true)
        }
        let none = transfer(.file(path: "/nowhere/at/all", offset: 0, length: 1))
        #expect(none.fileFault?.contains("errno 2") == true, "ENOENT")
    }

    /// Only a file that is gone or too short stays so: all else may be another at the next try. Nothing
    /// is mapped at address 0 of `/proc/self/mem` (EIO), and a folder is opened but not read (EISDIR).
    @Test(arguments: [
        ("/nowhere/at/all", TransportError.Kind.file), ("/proc/self/mem", .other), ("/tmp", .other),
        ("/dev/null", .file),
    ])
    func whatMayPassIsNotALostFile(path: String, kind: TransportError.Kind) {
        let transfer = transfer(.file(path: path, offset: 0, length: 1))
        #expect(rest(of: transfer, in: 1) == nil)
        #expect(transfer.fileError(at: "http://x")?.kind == kind)
    }

    private func give(_ bytes: [UInt8], to taking: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        bytes.withUnsafeBytes { taking($0) }
    }

    @Test func anAnswerIsTakenToItsLimitAndItsBeginningKept() {
        let transfer = transfer(.none) { limits in
            limits.maximumResponse = 100
            limits.keptResponse = 30
        }
        #expect(give(Array(Self.bytes[..<20]), to: transfer.receive))
        #expect(give(Array(Self.bytes[20..<100]), to: transfer.receive))
        #expect(transfer.body == Array(Self.bytes[..<30]) && transfer.received == 100 && !transfer.isTooLarge)
        #expect(!give([0], to: transfer.receive) && transfer.isTooLarge)
        #expect(transfer.body.count == 30)
    }

    /// RFC 9112 §5: white space around a value is not part of it; §4: a status line begins another
    /// answer.
    @Test func headersAreThoseOfTheLastAnswer() {
        let transfer = transfer(.none)
        for line in ["HTTP/1.1 100 Continue\r\n", "Early: 1\r\n", "\r\n"] {
            #expect(give(Array(line.utf8), to: transfer.receiveHeader))
        }
        #expect(give([1], to: transfer.receive))
        for line in ["HTTP/1.1 200 OK\r\n", "Location: \t a:b c \t\r\n", "Empty:\r\n", "\r\n"] {
            #expect(give(Array(line.utf8), to: transfer.receiveHeader))
        }
        #expect(transfer.headers.map(\.name) == ["Location", "Empty"])
        #expect(transfer.headers.map(\.value) == ["a:b c", ""] && transfer.body.isEmpty)
    }

    @Test func headersOfAQuarterOfAMebibyteAreTheMost() {
        let transfer = transfer(.none)
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
        for _ in 0..<4 { #expect(give(line, to: transfer.receiveHeader)) }
        #expect(!give([0], to: transfer.receiveHeader) && transfer.isTooLarge)
    }
}
