// SPDX-License-Identifier: Apache-2.0

/// How the panel waits and repeats.
public struct SessionLimits: Sendable, Hashable {
    /// A prompt is told when it comes and again after each of these; then only its light goes on.
    public var promptRepeats: [Duration] = [.seconds(30), .seconds(60), .seconds(120), .seconds(300)]
    /// A prompt that was put off comes again after this.
    public var putOff: Duration = .seconds(600)
    /// Between signs of life.
    public var alive: Duration = .seconds(10)
    /// Without a press after which the list and the menu close.
    public var browsing: Duration = .seconds(45)
    /// The agent answers a request to open a task, and a submission, within this; else it is told as a fault.
    public var answer: Duration = .seconds(10)
    /// Of a run.
    public var run = RunLimits()

    /// The usual limits.
    public init() {}
}
