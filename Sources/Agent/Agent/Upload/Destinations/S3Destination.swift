// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// A bucket of a server that speaks S3 (S3 API Reference, version 2006-03-01): Amazon's, Ceph's,
/// MinIO's, Garage's, OpenStack Swift's.
///
/// An object is a file as it was sealed, or a submission as the study's server gets it, under
/// `prefix/study/participant/enrolment/file`; nothing is overwritten. What fits into a part goes as one
/// PUT, all else in parts, which a restart finds again by asking the server. Each body is signed with
/// its SHA-256, which is also sent as `x-amz-checksum-sha256` and compared with what comes back.
///
///     no place ──PUT──▶ delivered                       (one part)
///     no place ──POST ?uploads──▶ place ──list──▶ offset ──PUT part──▶ offset … ──complete──▶ delivered
///        ▲                          │ NoSuchUpload
///        └──────────────────────────┘
package struct S3Destination: DestinationKind {
    package static let kind = "s3"
    package static let takes = DestinationIntake.both
    package static let keys =
        ServerSettings.keys.filter { $0.name != "token" } + [
            DestinationKey("bucket", .text), DestinationKey("region", .text), DestinationKey("prefix", .text),
            DestinationKey("addressing", .text), DestinationKey("access_key", .text),
            DestinationKey("secret_key", .secret), DestinationKey("session_token", .secret),
            DestinationKey("part_kib", .size(5120...5_242_880)),
        ]

    package let name: String
    package var address: String? { server.endpoint }
    /// True, so that the bucket is complete without the lab's receiver.
    package let keepsDayRecords = true
    /// True: an object is found again by its name and digest.
    package let recognisesRepeats = true
    private let settings: ServerSettings
    private let server: S3Server
    private let prefix: String
    private let access: String
    private let secret: String
    private let session: String?
    /// Bytes of each part but the last; S3 allows no less than 5 MiB and no more than 10,000 parts.
    private let part: Int64

    package init(_ settings: DestinationSettings) throws(DestinationSettingError) {
        name = settings.name
        self.settings = try ServerSettings(settings)
        let style = settings.text("addressing") ?? "path"
        guard ["path", "host"].contains(style) else {
            throw DestinationSettingError(
                key: "addressing", cause: "'\(style)' is unknown", remedy: "write 'path' or 'host'")
        }
        let url = try settings.required("url")
        let place = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        guard !place.dropLast(place.hasSuffix("/") ? 1 : 0).contains(where: { "/?#@".contains($0) }) else {
            throw DestinationSettingError(
                key: "url", cause: "has more than scheme, host and port, which alone can be signed",
                remedy: "leave out the rest: the bucket has its own key")
        }
        server = S3Server(
            endpoint: url, bucket: try settings.required("bucket"),
            region: settings.text("region") ?? "us-east-1", isHostStyle: style == "host", limits: self.settings.limits)
        prefix = settings.text("prefix") ?? ""
        access = try settings.required("access_key")
        secret = try settings.required("secret_key")
        session = settings.text("session_token")
        part = settings.size("part_kib") ?? 5 << 20
    }

    /// Secrets are read each time, so that keys that were replaced count.
    package func open(_ client: HTTPClient) throws {
        try settings.open(client)
        server.open(
            AWSSignature.Keys(
                access: access, secret: try SecretFile.read(secret), session: try session.map(SecretFile.read)))
    }

    package func send(_ job: DeliveryJob, by client: HTTPClient) throws -> DeliveryStep {
        do {
            let payload = try UploadPayload(job, compressing: [])
            let delivery = S3Delivery(payload, job, to: server, part: part, by: client)
            return try delivery.step(under: name(payload, job))
        } catch let unusable as UnusablePayload {
            return .finished(.refused(reason: unusable.reason))
        }
    }

    private func name(_ payload: UploadPayload, _ job: DeliveryJob) -> S3ObjectName {
        let labels = payload.file.metadata.merging(job.owner) { own, _ in own }
        return S3ObjectName(
            prefix: prefix, study: labels["study"], participant: labels["participant"], enrolment: job.item.enrolment,
            file: payload.file.path)
    }
}
