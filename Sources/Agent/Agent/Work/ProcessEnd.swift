// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// What happens when the whole process ends.
package enum ProcessEnd {
    /// Threads may still be ending while the process exits, so libcrypto must not be taken apart
    /// below them. Called by `Program.start`, before anything uses it.
    package static func keepLibraries() { DigestStream.keepLibrary() }
}
