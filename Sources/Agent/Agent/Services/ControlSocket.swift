// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Synchronization
import SystemKit

/// The agent's Unix socket: commands that change state go through it while the agent runs.
///
/// `serve()` blocks and belongs on a thread made for it, which never waits for one caller: it takes
/// what each has sent and sends what each takes. `stop()` may come from any thread, `close()` after
/// `serve()` has returned.
package struct ControlSocket: Sendable {
    private let path: String
    private let listener: CInt
    private let answers: ControlAnswers
    private let clock: any StudyClock
    /// How long a caller may take to send the request, and again to take the answer.
    private static let timeout = Duration.seconds(5)
    /// When one more calls, the oldest caller whose request is not being carried out is dropped.
    private static let mostCallers = 32

    /// Listens at `path`; a socket file that a dead agent left behind is replaced, a living one
    /// refused.
    package init(path: String, clock: any StudyClock = SystemClock()) throws {
        guard let address = sockaddr_un(path: path) else {
            throw ConfigError(file: path, cause: "is too long for a socket", remedy: "use a shorter --state")
        }
        if let other = try ControlClient(path: path).connection() {
            _ = Glibc.close(other)
            throw ConfigError(file: path, cause: "another studyd is running with this state folder")
        }
        unlink(path)
        (self.path, self.clock) = (path, clock)
        answers = try ControlAnswers()
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let listener = socket(AF_UNIX, kind, 0)
        let isOpen =
            listener >= 0 && address.withAddress { bind(listener, $0, $1) } == 0 && chmod(path, 0o660) == 0
            && listen(listener, 8) == 0
        let reason = errno
        self.listener = listener
        guard isOpen else {
            close()
            throw ConfigError(file: path, cause: "cannot listen here: \(String(cString: strerror(reason)))")
        }
    }

    /// Takes calls until `stop()`; `handle` must answer each by its `reply`, is called on this
    /// thread and returns at once.
    package func serve(_ handle: (ControlCall) -> Void) {
        var callers: [ControlCaller] = []
        var canAccept = true
        defer {
            // Answers given before the stop are still sent.
            answers.take(into: &callers, until: clock.monotonic)
            for caller in callers { caller.hangUp() }
        }
        while !answers.waker.isStopping {
            // In this order: the waker, the listener, the callers.
            var waiting = [answers.waker.descriptor, canAccept ? listener : -1].map(Self.readable)
            waiting += callers.map(\.waiting)
            let ends = callers.compactMap(\.deadline) + (canAccept ? [] : [clock.monotonic + .seconds(1)])
            let time = ends.min().map { CInt(clamping: max(0, ($0 - clock.monotonic).milliseconds)) } ?? -1
            guard poll(&waiting, nfds_t(waiting.count), time) >= 0 || errno == EINTR else { return }
            let now = clock.monotonic
            for (index, event) in waiting.dropFirst(2).enumerated() where event.revents != 0 {
                if let request = callers[index].move() { ask(request, &callers[index], handle) }
            }
            answers.take(into: &callers, until: now + Self.timeout)
            Self.drop(&callers) { $0.isOver || $0.deadline.map { $0 <= now } ?? false }
            canAccept = waiting[1].revents == 0 || accept(&callers, until: now + Self.timeout)
        }
    }

    private func ask(_ line: [UInt8], _ caller: inout ControlCaller, _ handle: (ControlCall) -> Void) {
        do {
            guard line.count <= ControlLine.limit else {
                throw ControlFault("the request is longer than \(ControlLine.limit) bytes")
            }
            let request: ControlRequest = try ControlLine.content(line)
            handle(ControlCall(request: request) { [answers, caller] in answers.put($0, to: caller.descriptor) })
        } catch { answers.put(.refused(reason: "\(error)"), to: caller.descriptor) }
    }

    /// False where the process has no descriptor left: the caller stays in the queue and would wake
    /// us at once again.
    private func accept(_ callers: inout [ControlCaller], until deadline: MonotonicTime) -> Bool {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { return errno != EMFILE && errno != ENFILE }
        // A program that the agent starts gets no part of the socket.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        if callers.count >= Self.mostCallers, let silent = callers.first(where: { $0.deadline != nil })?.descriptor {
            Self.drop(&callers) { $0.descriptor == silent }
        }
        callers.append(ControlCaller(descriptor, until: deadline))
        return true
    }

    private static func drop(_ callers: inout [ControlCaller], where isDropped: (ControlCaller) -> Bool) {
        for caller in callers where isDropped(caller) { caller.hangUp() }
        callers.removeAll(where: isDropped)
    }

    private static func readable(_ descriptor: CInt) -> pollfd {
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    }

    /// Makes `serve()` return and takes the socket file away.
    package func stop() {
        answers.waker.stop()
        unlink(path)
    }

    /// Gives the descriptor back; the socket is of no use afterwards.
    package func close() { if listener >= 0 { _ = Glibc.close(listener) } }
}

/// Answers on their way to the socket's thread; any thread.
private final class ControlAnswers: Sendable {
    let waker: Waker
    /// By the caller's descriptor, which stays open until it has the answer.
    private let waiting = Mutex<[CInt: [UInt8]]>([:])

    init() throws { waker = try Waker() }

    func put(_ answer: ControlAnswer, to caller: CInt) {
        let line = ControlLine.line(answer)
        waiting.withLock { $0[caller] = line }
        waker.wake()
    }

    /// Gives the callers theirs. The socket's thread only.
    func take(into callers: inout [ControlCaller], until deadline: MonotonicTime) {
        waker.clear()
        let answers = waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting
        }
        for index in callers.indices {
            if let answer = answers[callers[index].descriptor] { callers[index].answer(answer, until: deadline) }
        }
    }
}

/// One who called. The socket's thread only.
private struct ControlCaller: Sendable {
    private enum State {
        case asking([UInt8])
        /// The agent carries it out.
        case asked
        case answered(ArraySlice<UInt8>)
        case over
    }

    let descriptor: CInt
    private var state = State.asking([])
    private var end: MonotonicTime

    init(_ descriptor: CInt, until end: MonotonicTime) { (self.descriptor, self.end) = (descriptor, end) }

    /// When something must have come; nil while the agent is at work.
    var deadline: MonotonicTime? { if case .asked = state { nil } else { end } }
    var isOver: Bool { if case .over = state { true } else { false } }

    var waiting: pollfd {
        switch state {
        case .asking: pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        case .answered: pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // poll(2) ignores a negative descriptor: a caller who hung up would wake us all the time.
        case .asked, .over: pollfd(fd: -1, events: 0, revents: 0)
        }
    }

    /// Takes or sends what can be without waiting. Returns the request once it is whole, or ends,
    /// or is longer than the limit.
    mutating func move() -> [UInt8]? {
        switch state {
        case .asking(var line):
            let count = ControlClient.receive(&line, from: descriptor)
            let isWhole = count == 0 || line.last == UInt8(ascii: "\n") || line.count > ControlLine.limit
            state = isWhole ? .asked : count < 0 && errno != EAGAIN && errno != EINTR ? .over : .asking(line)
            return isWhole ? line : nil
        case .answered(var rest):
            let count = ControlClient.send(&rest, to: descriptor)
            let isLost = count < 0 && errno != EAGAIN && errno != EINTR
            state = isLost || rest.isEmpty ? .over : .answered(rest)
            return nil
        case .asked, .over: return nil
        }
    }

    mutating func answer(_ line: [UInt8], until end: MonotonicTime) {
        guard case .asked = state else { return }
        self.end = end
        state = .answered(line[...])
        _ = move()
    }

    func hangUp() { _ = close(descriptor) }
}
