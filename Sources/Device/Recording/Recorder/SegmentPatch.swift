// SPDX-License-Identifier: Apache-2.0

/// Bytes that replace others of a file when it is finished.
package struct SegmentPatch: Sendable, Hashable {
    package var offset: Int
    package var bytes: [UInt8]

    package init(offset: Int, bytes: [UInt8]) {
        self.offset = offset
        self.bytes = bytes
    }
}
