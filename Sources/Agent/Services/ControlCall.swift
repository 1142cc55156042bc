// SPDX-License-Identifier: Apache-2.0

/// One verb sent to a running agent: a line of JSON in, a line of JSON out, then the connection ends.
public struct ControlRequest: Codable, Sendable, Hashable {
    /// `status`, `enroll`, `withdraw`, ...
    public let verb: String
    /// The verb's options by name.
    public let options: [String: String]

    /// A request of that verb.
    public init(verb: String, options: [String: String] = [:]) {
        self.verb = verb
        self.options = options
    }
}

/// What the agent answers.
public struct ControlReply: Codable, Sendable, Hashable {
    /// False when the verb failed; `text` then says what, where and what to do.
    public let succeeded: Bool
    /// What the command prints.
    public let text: String

    /// A reply of that text.
    public init(succeeded: Bool, text: String) {
        self.succeeded = succeeded
        self.text = text
    }
}

/// A request on its way to the study loop, with the way back.
public struct ControlCall: Sendable {
    /// As it was read from the socket; verb and options are still unchecked.
    public let request: ControlRequest
    /// Sends the reply and ends the connection; call it once, from any thread.
    public let reply: @Sendable (ControlReply) -> Void

    /// A call that is answered by `reply`.
    public init(request: ControlRequest, reply: @escaping @Sendable (ControlReply) -> Void) {
        self.request = request
        self.reply = reply
    }
}
