// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What `DirectoryDelivery` calls a file on a medium (a USB stick). Every byte but letters, digits, `-`, `_` and
/// `.` is written like `%2F`, since FAT allows neither `:` nor a space at the end. It does not tell `A` from `a`,
/// but ids of enrolments differ in more than that.
struct FolderName: Sendable, Hashable {
    let folders: [String]
    private let file: String
    /// The content of `labels.json`: study, participant and enrolment as they are, where names of folders are
    /// encoded.
    let labels: String

    init(_ file: FileReference, _ job: DeliveryJob) {
        let known = file.metadata.merging(job.owner) { own, _ in own }
        folders = [known["study"] ?? "", known["participant"] ?? "", job.item.enrolment].map(Self.part)
        self.file = Self.part(file.path)
        let own = ["study", "participant", "enrolled"].compactMap { name in
            known[name].map { JSONText.Member(name, .string($0)) }
        }
        let head: [JSONText.Member] = [.init("format", .string("studyd-folder")), .init("version", .integer(1))]
        labels = JSONText.object(head + own + [.init("enrolment", .string(job.item.enrolment))]).text + "\n"
    }

    var folder: String { folders.joined(separator: "/") }
    var text: String { "\(folder)/\(file)" }
    /// The name with `~2`, `~3` … for other content of the same name, as `S3ObjectName` has it.
    func copy(_ number: Int) -> String { number < 2 ? text : "\(text)~\(number)" }

    private static func part(_ text: String) -> String {
        let plain = PercentCode.encoded(text).replacing("~", with: "%7E")
        // FAT drops a dot at the end, and 255 is the longest name anywhere.
        let short = String(plain.prefix(200))
        return short.isEmpty ? "_" : short.hasSuffix(".") ? short.dropLast() + "%2E" : short
    }
}
