// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import SystemKit

/// A small HTTP/1.1 server for a lab or a device: one event loop, one task per connection, no TLS. `Receiver`
/// makes it with the routes.
///
/// It listens on the loopback address by default. It can run once.
final class HTTPServer: Sendable {
    private let router: Router
    private let limits: ServerLimits
    private let proxies: TrustedProxies
    private let clock: (any StudyClock)?
    private let report: @Sendable (String) -> Void
    private let ledger: ConnectionLedger
    private let stops = AsyncStream<Void>.makeStream()

    /// A server of these routes. `report` takes one line for each handler that failed otherwise
    /// than by `HTTPFailure`. Without a clock its answers have no `Date`.
    init(
        _ router: Router, limits: ServerLimits = ServerLimits(), proxies: TrustedProxies = TrustedProxies([]),
        clock: (any StudyClock)? = nil, report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.router = router
        self.limits = limits
        self.proxies = proxies
        self.clock = clock
        self.report = report
        ledger = ConnectionLedger(limit: limits.connections, clientLimit: limits.connectionsPerClient)
    }

    /// Serves until `stop`, or until the task is cancelled, which breaks off answers under way.
    ///
    /// `port` 0 takes a free one. `started` gets the port once connections are accepted. Throws the
    /// system's error when the address cannot be had.
    func run(host: String = "127.0.0.1", port: Int, started: @Sendable (Int) async -> Void = { _ in }) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let listener = try await bind(host, port, group)
            await started(listener.channel.localAddress?.port ?? port)
            if ledger.listen(listener.channel) { await serveUntilStopped(listener) }
            try? await listener.channel.close()
        } catch {
            try? await group.shutdownGracefully()
            if let unknown = error as? SocketAddressError.UnknownHost {
                throw FileError(
                    path: host, message: "cannot listen: \(unknown.errorDescription)",
                    remedy: "use an address of this machine as --host")
            }
            guard let refused = error as? IOError else { throw error }
            throw Self.explained(refused, "\(host):\(port)")
        }
        try await group.shutdownGracefully()
    }

    /// Accepts nothing more, closes idle connections, lets answers under way end within the grace
    /// time. `run` returns after that.
    func stop() {
        ledger.stop()
        stops.continuation.finish()
    }

    private typealias Listener = NIOAsyncChannel<ClientConnection.Channel, Never>

    private func bind(_ host: String, _ port: Int, _ group: any EventLoopGroup) async throws -> Listener {
        let (limits, ledger, clock) = (limits, ledger, clock)
        return try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // Not writable while the kernel has not taken all of an answer: `ConnectionDeadlines` relies on it.
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 1, high: 1))
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try Self.closeOnExec(channel) }
            }
            .bind(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture { try Self.prepare(channel, limits, ledger, clock) }
            }
    }

    private static func explained(_ error: IOError, _ address: String) -> FileError {
        let remedy: String? =
            switch error.errnoCode {
            case EADDRINUSE: "another program listens there: end it, or use another --port"
            case EADDRNOTAVAIL: "use an address of this machine as --host"
            case EACCES: "ports below 1024 are the system's: use another --port"
            default: nil
            }
        return FileError(
            path: address, message: "cannot listen: \(String(cString: strerror(error.errnoCode)))", remedy: remedy)
    }

    private static func prepare(
        _ channel: any Channel, _ limits: ServerLimits, _ ledger: ConnectionLedger, _ clock: (any StudyClock)?
    ) throws -> ClientConnection.Channel {
        var decoding = NIOHTTPDecoderLimitConfiguration()
        decoding.maxHeaderListSize = limits.headBytes
        decoding.maxHeaderFieldCount = limits.headFields
        let pipeline = channel.pipeline.syncOperations
        try closeOnExec(channel)
        try keepLittleUnsent(channel)
        let deadlines = ConnectionDeadlines(limits, ledger)
        try pipeline.addHandler(deadlines)
        try pipeline.configureHTTPServerPipeline(
            position: .last, withPipeliningAssistance: true, withServerUpgrade: nil, withErrorHandling: false,
            withOutboundHeaderValidation: true, withEncoderConfiguration: .init(),
            withDecoderLimitConfiguration: decoding)
        try pipeline.addHandler(ProgressNotes(deadlines))
        try pipeline.addHandler(ProtocolRefusal(clock: clock))
        return try ClientConnection.Channel(
            wrappingChannelSynchronously: channel,
            configuration: .init(backPressureStrategy: .init(lowWatermark: 2, highWatermark: 8)))
    }

    /// A program that the server starts must not keep a socket open that the server closes.
    private static func closeOnExec(_ channel: any Channel) throws {
        try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
            _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        }
    }

    /// Otherwise the kernel holds megabytes, and says that a slow client takes them only when a third
    /// is gone (tcp(7), TCP_NOTSENT_LOWAT).
    private static func keepLittleUnsent(_ channel: any Channel) throws {
        try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
            var most: CInt = 128 << 10
            setsockopt(socket, CInt(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &most, socklen_t(MemoryLayout<CInt>.size))
        }
    }

    /// Ends when all connections have ended, or the grace time has passed after a stop.
    private func serveUntilStopped(_ listener: Listener) async {
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await self.accept(listener) }
            tasks.addTask {
                for await _ in self.stops.stream {}
                try? await Task.sleep(for: self.limits.graceTime)
            }
            await tasks.next()
            ledger.stop()
            ledger.abort()
            tasks.cancelAll()
        }
    }

    private func accept(_ listener: Listener) async {
        await withDiscardingTaskGroup { connections in
            try? await listener.executeThenClose { inbound in
                for try await channel in inbound {
                    let key = ObjectIdentifier(channel.channel)
                    let peer = TrustedProxies.plain(channel.channel.remoteAddress?.ipAddress ?? "")
                    let isWelcome = ledger.open(channel.channel, of: proxies.owner(of: peer))
                    connections.addTask {
                        guard isWelcome else { return await Self.refuse(channel) }
                        await ClientConnection(
                            channel: channel, router: self.router, limits: self.limits, proxies: self.proxies,
                            ledger: self.ledger, clock: self.clock, report: self.report
                        ).serve()
                        self.ledger.close(key)
                    }
                }
            }
        }
    }

    private static func refuse(_ channel: ClientConnection.Channel) async {
        try? await channel.executeThenClose { _, _ in }
    }
}
