// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux

/// What the kernel refused: the call, what it was about, and why.
///
/// `last` reads `errno`, and has to follow the call that failed directly.
package struct SystemError: ExplainedError, Sendable, Hashable {
    /// The errno value.
    package let code: CInt
    /// What was tried: `open`, `read`, `set the speed`.
    package let operation: String
    /// The file, device or thing it was tried on; empty where there is none.
    package let place: String

    package init(code: CInt, operation: String, place: String = "") {
        self.code = code
        self.operation = operation
        self.place = place
    }

    /// The failure of the C call made directly before on this thread.
    package static func last(_ operation: String, _ place: String = "") -> SystemError {
        SystemError(code: clinux_errno(), operation: operation, place: place)
    }

    /// What, where, why, and what to do about it where that is known.
    package var explanation: Explanation {
        Explanation(
            place: place.isEmpty ? operation : "\(operation) \(place)", cause: String(cString: strerror(code)),
            remedy: remedy)
    }

    private var remedy: String? {
        switch code {
        case EACCES, EPERM: DeviceGroup.remedy(place)
        case ENOENT, ENXIO, ENODEV: "check that it is connected and that its driver or overlay is enabled"
        case EBUSY, EWOULDBLOCK: "another program or driver is using it"
        default: nil
        }
    }
}
