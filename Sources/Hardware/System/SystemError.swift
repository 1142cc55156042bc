// SPDX-License-Identifier: Apache-2.0
import CLinux

/// What the kernel refused: the call, what it was about, and why.
///
/// `errno` is read here and nowhere else, directly after the call that failed.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The errno value.
    public let code: CInt
    /// What was tried: `open`, `read`, `set the speed`.
    public let operation: String
    /// The file, device or thing it was tried on; empty where there is none.
    public let place: String

    /// A failure with that errno value.
    public init(code: CInt, operation: String, place: String = "") {
        self.code = code
        self.operation = operation
        self.place = place
    }

    /// The failure of the C call made directly before on this thread.
    static func last(_ operation: String, _ place: String = "") -> SystemError {
        SystemError(code: clinux_errno(), operation: operation, place: place)
    }

    /// What, where, why, and what to do about it where that is known.
    public var description: String {
        let about = place.isEmpty ? operation : "\(operation) \(place)"
        let remedy = remedy.map { "; \($0)" } ?? ""
        return "\(about): \(String(cString: strerror(code)))\(remedy)"
    }

    private var remedy: String? {
        switch code {
        case EACCES, EPERM: DeviceGroup.remedy(place)
        case ENOENT, ENXIO, ENODEV: "is it connected, and is its driver or overlay enabled?"
        case EBUSY, EWOULDBLOCK: "another program or driver is using it"
        default: nil
        }
    }
}
