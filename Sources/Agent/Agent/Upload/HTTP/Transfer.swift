// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study
import SystemKit

/// The state of one transfer, which libcurl's callbacks read and fill: the request's body, the answer so far,
/// and why it was stopped. Belongs to the client's thread.
final class Transfer {
    private(set) var headers: [WireRequest.Header] = []
    private(set) var body: [UInt8] = []
    /// Bytes of the answer's body, kept or not.
    private(set) var received = 0
    /// It was stopped because the answer exceeds the limits.
    private(set) var isTooLarge = false
    /// Why it was stopped: the file that is sent cannot be read; nil = it can.
    private(set) var fileFault: String?
    /// The file is gone or shorter than expected; any other fault may be temporary.
    private(set) var isFileLost = false
    private let limits: HTTPLimits
    private let stop: StopFlag
    private let socket: SocketNote
    private var stall: StallWatch
    /// It was stopped because too little moved (`StallWatch`).
    private(set) var isStalled = false
    private let source: HTTPRequest.Body
    /// How much of the body libcurl has been given.
    private var position: Int64 = 0
    private var file: CInt = -1
    private var headerBytes = 0

    init(_ request: HTTPRequest, stop: StopFlag, socket: SocketNote) {
        self.socket = socket
        stall = StallWatch(request.limits)
        limits = request.limits
        source = request.body
        self.stop = stop
        if case .file(let path, _, _) = source {
            file = open(path, O_RDONLY | O_CLOEXEC)
            if file < 0 {
                isFileLost = errno == ENOENT
                fileFault = "\(path) cannot be opened (errno \(errno))"
            }
        }
    }

    deinit { if file >= 0 { close(file) } }

    func fileError(at url: String) -> TransportError? {
        fileFault.map { TransportError(kind: isFileLost ? .file : .other, url: url, message: $0) }
    }

    /// Bytes to send; nil when there is no body.
    var length: Int64? { source.length }

    /// All of the body was given to libcurl, so the request may have arrived; a server ignores half a body.
    var isGivenAway: Bool { length.map { $0 > 0 && position >= $0 } ?? false }

    /// Whether to abort the transfer; libcurl asks about once a second. `given` are bytes that the kernel has
    /// taken; those still in the socket's buffer (`socket.unsent`) do not count as progress.
    func shouldStop(received: Int64, given: Int64) -> Bool {
        let moved = received + Int64(headerBytes) + given - socket.unsent
        isStalled = isStalled || stall.update(moved: moved, at: SystemClock().monotonic)
        return stop.isRaised || isStalled
    }

    /// Fills `buffer` with the next bytes to send; nil when they cannot be read.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let count = Int(min(Int64(buffer.count), max(0, (length ?? 0) - position)))
        guard count > 0 else { return 0 }
        let done: Int
        switch source {
        case .none: done = 0
        case .bytes(let bytes):
            let start = Int(position)
            bytes.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[start..<(start + count)])) }
            done = count
        case .file(let path, let offset, _):
            done = pread(file, buffer.baseAddress, count, off_t(offset + position))
            // Nil aborts the request: half a body must not be sent.
            guard done > 0 else {
                isFileLost = isFileLost || done == 0
                fileFault = "\(path) " + (isFileLost ? "ends early" : "cannot be read (errno \(errno))")
                return nil
            }
        }
        position += Int64(done)
        return done
    }

    func seek(to position: Int64) { self.position = position }

    /// Takes in bytes of the answer; false when there are too many.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        received += bytes.count
        body.append(contentsOf: bytes.prefix(max(0, limits.keptResponse - body.count)))
        isTooLarge = received > limits.maximumResponse
        return !isTooLarge
    }

    /// Takes in a header line; false when there are too many. A status line begins a new answer.
    func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        isTooLarge = headerBytes > 262_144  // 256 KiB
        let line = String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            headers = []
            body = []
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...]
            headers.append(.init(name: String(line[..<colon]), value: String(value).trimmed))
        }
        return !isTooLarge
    }
}

/// Says when a `Transfer` has come to a stop: fewer than the least bytes a second over the whole of its patience.
/// Pure.
///
/// Bytes count when the other side's kernel has them, not when ours takes them: on a slow link
/// that holds back minutes of them, during which libcurl's own rule sees nothing move and
/// throws all of it away.
struct StallWatch: Sendable {
    private let patience: Duration
    private let least: Int64
    private var mark: (time: MonotonicTime, moved: Int64)?

    /// A watch of `slowestRate` bytes a second over `slow`.
    init(_ limits: HTTPLimits) {
        patience = limits.slow
        least = Int64(Double(limits.slowestRate) * limits.slow.seconds)
    }

    /// `moved` bytes until now, either way. True when it has come to a stop.
    mutating func update(moved: Int64, at now: MonotonicTime) -> Bool {
        // libcurl counts from zero where it sends a request again.
        guard let mark, moved >= mark.moved else {
            self.mark = (now, moved)
            return false
        }
        guard now - mark.time >= patience else { return false }
        self.mark = (now, moved)
        return moved - mark.moved < least
    }
}
