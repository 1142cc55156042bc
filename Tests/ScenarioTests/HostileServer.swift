// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A web server that no study should come from: redirects for ever, or sends without end. One
/// thread, one client at a time.
final class HostileServer: Sendable {
    /// What it does with every request.
    enum Habit: Sendable { case redirects, sendsWithoutEnd }

    let address: String
    private let listener: CInt

    init(_ habit: Habit) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw Complaint("cannot listen: \(String(cString: strerror(errno)))") }
        self.listener = listener
        address = "http://127.0.0.1:\(UInt16(bigEndian: place.sin_port))/study.json"
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Body { Self.serve(listener, habit) }).toOpaque()
        pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, context)
        pthread_detach(thread)
    }

    /// No more clients; the thread ends.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private final class Body {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }

    private static func serve(_ listener: CInt, _ habit: Habit) {
        while case let client = accept(listener, nil, nil), client >= 0 {
            var request = [UInt8](repeating: 0, count: 8192)
            _ = read(client, &request, request.count)
            switch habit {
            case .redirects:
                _ = send(
                    "HTTP/1.1 302 Found\r\nLocation: /again.json\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                    client)
            case .sendsWithoutEnd:
                var isListening = send(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"modules\":[", client)
                let more = String(repeating: "0,", count: 50_000)
                while isListening { isListening = send(more, client) }
            }
            shutdown(client, Int32(SHUT_RDWR))
            close(client)
        }
    }

    private static func send(_ text: String, _ client: CInt) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }
}
