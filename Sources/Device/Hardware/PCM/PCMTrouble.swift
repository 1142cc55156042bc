// SPDX-License-Identifier: Apache-2.0
import CLinux

/// What interrupted a sound stream; `CaptureLoop` counts each kind separately.
package enum PCMTrouble: String, Sendable, Hashable, CaseIterable {
    /// The card's buffer overran because it was not read in time.
    case overrun
    case suspended
    case unplugged
    case busy
    /// The card delivered nothing for three periods.
    case hung
    /// Anything else; the error says what.
    case failed

    init(_ error: PCMError) {
        switch error.code {
        case EPIPE: self = .overrun
        case ESTRPIPE: self = .suspended
        case ENODEV, ENXIO, ENOENT, EBADFD: self = .unplugged
        case EBUSY: self = .busy
        case ETIMEDOUT: self = .hung
        default: self = .failed
        }
    }

    var reason: LossReason {
        switch self {
        case .overrun, .hung: .soundOverrun
        case .suspended: .notRunning
        case .unplugged, .busy, .failed: .deviceError
        }
    }
}
