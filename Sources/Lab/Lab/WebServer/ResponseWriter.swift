// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOHTTP1

/// Sends the parts of answers for `ClientConnection`, in the order in which they are given.
///
/// All go the same way, straight to the channel. The asynchronous writer of `NIOAsyncChannel` does
/// not tell when the socket has taken a part, which has to be known before the connection is
/// closed; two ways side by side would leave their order to how NIO queues them.
struct ResponseWriter: Sendable {
    let channel: any Channel

    /// Hands over a part that is followed by others, and does not wait for the socket.
    func write(_ part: HTTPServerResponsePart) { channel.write(part, promise: nil) }

    /// Sends a part and what was handed over before. Returns when the socket has taken all of it,
    /// which slows the sender down to its client and lets it close the connection; throws when the
    /// connection is gone.
    func send(_ part: HTTPServerResponsePart) async throws { try await channel.writeAndFlush(part).get() }
}
