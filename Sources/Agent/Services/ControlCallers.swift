// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization
import SystemKit

/// Those who have called and whose request has not come whole, each on a thread of its own for as long as `patience`; any thread.
final class ControlCallers: Sendable {
    /// So many are listened to; the one that has been silent for the longest makes room for a new one.
    private static let most = 32
    /// In the order of their calls. Whoever takes a descriptor out closes it.
    private let waiting = Mutex<[CInt]>([])
    private let patience: Duration

    init(patience: Duration) { self.patience = patience }

    /// Listens to somebody who called, and takes over the descriptor.
    func listen(to descriptor: CInt, _ handle: @escaping @Sendable (ControlCall) -> Void) {
        waiting.withLock { waiting in
            waiting.append(descriptor)
            // Their thread finds the end of what they send, and tells them.
            if waiting.count > Self.most { shutdown(waiting[waiting.count - Self.most - 1], CInt(SHUT_RD)) }
        }
        let started = try? NamedThread(name: "studyd-caller") { [self] in
            let line = ControlLine.receive(from: descriptor, within: patience)
            waiting.withLock { $0.removeAll { $0 == descriptor } }
            switch ControlLine.request(line ?? []) {
            case .success(let request):
                handle(ControlCall(request: request) { self.reply(ControlLine.line($0), to: descriptor) })
            case .failure(let fault): reply(ControlLine.refusal(fault.description), to: descriptor)
            }
        }
        guard started == nil else { return }
        waiting.withLock { $0.removeAll { $0 == descriptor } }
        close(descriptor)
    }

    /// Nobody is listened to any longer.
    func dismiss() { waiting.withLock { for descriptor in $0 { shutdown(descriptor, CInt(SHUT_RD)) } } }

    /// Answers and ends the connection. What the caller does not take at once is sent by a thread of its own.
    private func reply(_ line: [UInt8], to descriptor: CInt) {
        let sent = send(descriptor, line, line.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        guard sent < line.count, sent >= 0 || errno == EAGAIN else {
            close(descriptor)
            return
        }
        let rest = Array(line.dropFirst(max(0, sent)))
        let started = try? NamedThread(name: "studyd-reply") { [patience] in
            ControlLine.send(rest, to: descriptor, within: patience)
            close(descriptor)
        }
        if started == nil { close(descriptor) }
    }
}
