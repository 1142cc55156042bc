// SPDX-License-Identifier: Apache-2.0

extension RecordingDescription {
    /// A file that is encrypted by age (age-encryption.org/v1) while it is written. `RecordingEncryption` notes
    /// it in the file's description.
    package struct AgeNote: Sendable, Hashable, Codable {
        /// The media type of every encrypted file; none is registered.
        package static let contentType = "application/x-age"
        /// The end of its name.
        package static let ending = ".age"

        /// How many keys open it.
        package var recipients: Int
        /// The media type of what is in it.
        package var contentType: String
        /// True where the times in it count from the start of the boot, although the clock was known
        /// later: opening it puts them right by the first anchor. Else absent.
        package var isUptime: Bool?
        /// True where a power cut or a fault of the disk ended it, perhaps without its last chunk;
        /// `samplesStored` is then the least that is in it. Else absent.
        package var isCut: Bool?

        package init(recipients: Int, contentType: String) {
            (self.recipients, self.contentType) = (recipients, contentType)
        }
    }
}
