// SPDX-License-Identifier: Apache-2.0

/// Something that runs as long as the agent does.
package protocol Service: Sendable {
    /// Returns when the service has done what it was for, or after it was asked to stop
    /// (`StopRequest`). What it throws ends the agent.
    func run() async throws
}
