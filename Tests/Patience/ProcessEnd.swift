// SPDX-License-Identifier: Apache-2.0
import Foundation

extension Process {
    /// Waits for its end asleep. On Linux `waitUntilExit` asks a run loop that has no sources over
    /// and over, which takes a whole core for as long as the child lives.
    package func waitAsleep() {
        while isRunning { usleep(2_000) }
    }
}
