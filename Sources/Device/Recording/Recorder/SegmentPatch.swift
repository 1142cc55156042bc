// SPDX-License-Identifier: Apache-2.0

/// Bytes that replace others of a file when it is finished, such as a count in its header: an encoder or a
/// `SegmentSurvey` says them, `SegmentFile` writes them.
package struct SegmentPatch: Sendable, Hashable {
    package let offset: Int
    package let bytes: [UInt8]
}
