// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux

/// What the kernel refused: the call, what it was about, and why.
///
/// Code that works with descriptors and devices calls `last` directly after the C call that failed,
/// before anything else can change `errno`.
package struct SystemError: ExplainedError, Sendable, Hashable {
    /// The errno value.
    package let code: CInt
    /// What was tried: `open`, `read`, `set the speed`.
    package let operation: String
    /// The file, device or thing it was tried on; empty where there is none.
    package let place: String

    package init(code: CInt, operation: String, place: String = "") {
        (self.code, self.operation, self.place) = (code, operation, place)
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
        let isOfDevice = place.hasPrefix("/dev/") || place.hasPrefix("/sys/")
        return switch code {
        case EACCES, EPERM: place.isEmpty ? nil : DeviceGroup.remedy(place)
        case ENXIO, ENODEV: Self.absent
        case ENOENT: isOfDevice ? Self.absent : nil
        case EBUSY: Self.taken
        // Also EWOULDBLOCK: a lock that another program has.
        case EAGAIN where isOfDevice: Self.taken
        // pthread_create(3), fork(2).
        case EAGAIN where operation.hasPrefix("start"):
            "too many threads or processes: look for TasksMax= in `systemctl show` of the unit, and `ulimit -u`"
        default: nil
        }
    }

    private static let absent = "check that it is connected and that its driver or overlay is enabled"
    private static let taken = "another program or driver is using it"
}
