// SPDX-License-Identifier: Apache-2.0

/// A request on its way to the service that answers it, with the way back.
package struct ControlCall: Sendable {
    package let request: ControlRequest
    /// Sends the answer and ends the connection; call it once, from any thread.
    package let reply: @Sendable (ControlAnswer) -> Void
}
