// SPDX-License-Identifier: Apache-2.0

/// How long an orderly end may take, stated once: `TimeoutStopSec` of systemd/studyd.service is
/// held against it by a test.
package enum ShutdownBudget {
    /// From SIGTERM to the end of the process: services end one after the other, from the control
    /// socket to the uploader.
    package static let agent: Duration = .seconds(20)
    /// Part of `agent`: for threads that measure to come back from what they are doing. One that a driver holds for
    /// longer is left behind, so that what was measured can still be sealed.
    package static let measuring: Duration = .seconds(3)
    /// What the service's manager adds before it kills.
    package static let margin: Duration = .seconds(5)
}
