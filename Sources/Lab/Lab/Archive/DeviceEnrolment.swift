// SPDX-License-Identifier: Apache-2.0
import Base

/// What a device says of its enrolment: with each upload, also of kind `hello`, which it sends as it enrols.
/// `UploadFolder` reads it, and `CoverageTable` counts time since it.
struct DeviceEnrolment: Sendable, Hashable {
    let enrolment: String
    let study: String
    /// Nil while the device's clock is not sure.
    let moment: Instant?
    /// What it is to measure, as far as it has reported.
    let channels: [String]
}

extension DeviceEnrolment {
    /// What the upload's metadata say; nil where they name none, or no participant is named.
    init?(_ upload: Upload) {
        guard let metadata = try? JSONReader.value(upload.metadata), upload.user != "",
            let enrolment = metadata["enrolment"]?.string
        else { return nil }
        self.init(
            enrolment: String(enrolment.prefix(DeviceName.longest)),
            study: String((metadata["study"]?.string ?? "").prefix(DeviceName.longest)),
            moment: metadata["enrolled"]?.string.flatMap { try? Instant(rfc3339: $0) },
            channels: String((metadata["measures"]?.string ?? "").prefix(500)).split(separator: " ").map(String.init))
    }
}
