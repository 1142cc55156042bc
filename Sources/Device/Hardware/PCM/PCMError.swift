// SPDX-License-Identifier: Apache-2.0
import Base
import CALSA
import CLinux

/// What libasound refused, of which device.
package struct PCMError: ExplainedError, Sendable, Hashable {
    /// The errno value, positive.
    package let code: CInt
    /// What was tried: `open for capture`, `set 16000 Hz`.
    private let operation: String
    package let device: String

    /// A failure with that errno value; libasound's negative one is taken as well.
    package init(code: CInt, operation: String, device: String) {
        self.code = abs(code)
        self.operation = operation
        self.device = device
    }

    /// Names the device, what was tried, libasound's words, and the remedy where one is known.
    package var explanation: Explanation {
        Explanation(
            place: "sound device \(device)", cause: "\(operation): \(String(cString: snd_strerror(-code)))",
            remedy: remedy)
    }

    private var remedy: String? {
        switch code {
        case ENOENT, ENODEV, ENXIO: "`arecord -L` and `aplay -L` list the devices"
        case EBUSY: "another program is using it"
        case EACCES, EPERM: "the user needs the group audio"
        case EINVAL: "`arecord --dump-hw-params`, for a loudspeaker `aplay`, shows what it can do"
        default: nil
        }
    }

    /// What brings a stream back after an error of reading, writing or waiting.
    enum Recovery: Equatable {
        case retry
        /// Over- or underrun: prepare and start again; frames were lost.
        case prepare
        /// Suspended: resume, else prepare; frames were lost.
        case resume
        /// Unplugged or hung: close and open again.
        case reopen
    }

    /// The recovery from libasound's negative error number.
    static func recovery(from result: Int) -> Recovery {
        switch CInt(clamping: -result) {
        case EAGAIN, EINTR: .retry
        case EPIPE: .prepare
        case ESTRPIPE: .resume
        default: .reopen
        }
    }
}
