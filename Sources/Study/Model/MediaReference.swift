// SPDX-License-Identifier: Apache-2.0

/// A file a study refers to: `MediaCache` fetches it at enrolment, and `InstructionStep` has it played.
package struct MediaReference: Sendable, Hashable {
    package enum Kind: String, Sendable {
        case image, audio, video, web
        /// To be taken by the participant; it has no address.
        case photo
    }
    package let kind: Kind
    /// Its address as written in the study.
    package let source: String
    /// Where in the study it is named.
    package let path: String

    package init(kind: Kind, source: String, path: String) {
        (self.kind, self.source, self.path) = (kind, source, path)
    }
}
