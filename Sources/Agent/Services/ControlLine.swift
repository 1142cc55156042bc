// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import SystemKit
import Times

/// One line of JSON over a stream socket: `{"version":3,"request":{…}}` from the command, `{"version":3,"answer":{…}}` back.
package enum ControlLine {
    /// The most bytes of one line.
    static let limit = 1 << 20
    /// How long the other end may take to send its line, and to take ours.
    package static let patience: Duration = .seconds(5)

    private struct Version: Decodable { let version: Int? }
    private struct Request: Codable {
        let version: Int
        let request: ControlRequest
    }
    private struct Answer: Codable {
        let version: Int
        let answer: ControlAnswer
    }
    /// What every version of the command can read, the first too.
    private struct Refusal: Codable {
        let version: Int
        let succeeded: Bool
        let text: String
    }

    static func line(_ request: ControlRequest) -> [UInt8] {
        line(Request(version: ControlVersion.own, request: request))
    }
    static func line(_ answer: ControlAnswer) -> [UInt8] { line(Answer(version: ControlVersion.own, answer: answer)) }
    /// A refusal to one of whom it is not known what they can read.
    static func refusal(_ text: String) -> [UInt8] {
        line(Refusal(version: ControlVersion.own, succeeded: false, text: text))
    }

    private static func line(_ value: some Encodable) -> [UInt8] {
        ((try? JSONEncoder().encode(value)).map { Array($0) } ?? []) + [UInt8(ascii: "\n")]
    }

    /// The request, or why it is none, in words.
    static func request(_ line: [UInt8]) -> Result<ControlRequest, ControlFault> {
        guard let version = try? JSONDecoder().decode(Version.self, from: Data(line)) else {
            return .failure(ControlFault("the request was not one line of JSON"))
        }
        if let remark = ControlVersion.remark(ofCommand: version.version) { return .failure(ControlFault(remark)) }
        guard let request = try? JSONDecoder().decode(Request.self, from: Data(line)) else {
            return .failure(ControlFault("unknown request"))
        }
        return .success(request.request)
    }

    /// The answer; one of another version is a refusal that says so.
    static func answer(_ line: [UInt8]) -> ControlAnswer? {
        guard let version = try? JSONDecoder().decode(Version.self, from: Data(line)) else { return nil }
        if let remark = ControlVersion.remark(ofAgent: version.version) { return .refused(reason: remark) }
        if let answer = try? JSONDecoder().decode(Answer.self, from: Data(line)) { return answer.answer }
        return (try? JSONDecoder().decode(Refusal.self, from: Data(line))).map { .refused(reason: $0.text) }
    }

    /// Sends it all, unless the other end takes nothing more for `patience`. Blocks.
    static func send(_ bytes: [UInt8], to descriptor: CInt, within patience: Duration = patience) {
        let clock = SystemClock()
        let deadline = clock.monotonic + patience
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if sent > 0 {
                rest = rest.dropFirst(sent)
            } else if sent < 0, errno == EAGAIN {
                guard wait(for: descriptor, POLLOUT, until: deadline, clock) else { return }
            } else if errno != EINTR {
                return
            }
        }
    }

    /// One line, or what came before the end or the limit; nil when it has not come whole within `limit`: who sends a byte now and then keeps nobody
    /// waiting for long. Blocks.
    static func receive(from descriptor: CInt, within patience: Duration) -> [UInt8]? {
        let clock = SystemClock()
        let deadline = clock.monotonic + patience
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while line.last != UInt8(ascii: "\n"), line.count <= limit {
            guard wait(for: descriptor, POLLIN, until: deadline, clock) else { return nil }
            let length = read(descriptor, &chunk, chunk.count)
            if length < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            guard length > 0 else { break }
            line.append(contentsOf: chunk[..<length])
        }
        return line
    }

    /// False when the time is over.
    private static func wait(
        for descriptor: CInt, _ event: CInt, until deadline: MonotonicTime, _ clock: SystemClock
    ) -> Bool {
        while true {
            var waiting = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            let left = (deadline - clock.monotonic).milliseconds
            let count = left > 0 ? poll(&waiting, 1, CInt(clamping: left)) : 0
            if count < 0 && errno == EINTR { continue }
            return count > 0
        }
    }
}

/// Why a request is not answered.
struct ControlFault: ExplainedError {
    let explanation: Explanation

    init(_ cause: String, remedy: String? = nil) { explanation = Explanation(cause: cause, remedy: remedy) }
}
