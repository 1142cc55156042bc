// SPDX-License-Identifier: Apache-2.0

/// A request on its way to whoever answers it, with the way back.
package struct ControlCall: Sendable {
    /// As it was read from the socket.
    package let request: ControlRequest
    /// Sends the answer and ends the connection; call it once, from any thread.
    package let reply: @Sendable (ControlAnswer) -> Void

    /// A call that is answered by `reply`.
    package init(request: ControlRequest, reply: @escaping @Sendable (ControlAnswer) -> Void) {
        self.request = request
        self.reply = reply
    }
}
