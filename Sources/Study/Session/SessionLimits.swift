// SPDX-License-Identifier: Apache-2.0

/// How `PanelSession` waits and repeats; the agent passes the defaults.
package struct SessionLimits: Sendable, Hashable {
    /// A prompt is signalled when it comes and again after each of these; then only its light goes
    /// on.
    package var promptRepeats: [Duration] = [.seconds(30), .seconds(60), .seconds(120), .seconds(300)]
    /// A prompt that was put off comes again after this.
    package var putOffDelay: Duration = .seconds(600)
    /// Between signs of life.
    package var aliveInterval: Duration = .seconds(10)
    /// How long after the last press a sound says that something was delivered.
    var deliverySoundWindow: Duration = .seconds(600)
    /// The list and the menu close after this time without a press.
    package var browsingTimeout: Duration = .seconds(45)
    /// The agent answers a request to open a task, and a submission, within this; else it is
    /// reported as a fault.
    package var replyTimeout: Duration = .seconds(10)
    package var run = RunLimits()

    package init() {}
}
