// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// What an open file has in memory, and where it belongs: `Recorder` gives it to the `RecordingJournal`.
package struct FileAddition: Sendable, Hashable {
    /// The recording's number.
    let number: Int
    /// Where in the file the bytes belong.
    let offset: Int
    let bytes: ArraySlice<UInt8>
}
