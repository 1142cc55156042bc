// SPDX-License-Identifier: Apache-2.0

/// What `S3Destination` calls an object: `prefix/study/participant/enrolment/file`. What a part may not hold
/// (slashes, control characters, a dot alone) becomes `_`, so that a name cannot leave its folder.
struct S3ObjectName: Sendable, Hashable {
    /// In UTF-8, 1,024 bytes at most (S3 User Guide, "Naming Amazon S3 objects"), as long as the prefix
    /// has no more than 200.
    let key: String

    init(prefix: String, study: String?, participant: String?, enrolment: String, file: String) {
        let folder = prefix.split(separator: "/").map { Self.part(String($0)) }
        let parts = folder + [study ?? "", participant ?? "", enrolment, file].map { Self.part($0, longest: 200) }
        key = parts.joined(separator: "/")
    }

    private init(key: String) { self.key = key }

    /// The name that is tried where another object has this one: `file~2`.
    func copy(_ number: Int) -> S3ObjectName { number < 2 ? self : S3ObjectName(key: "\(key)~\(number)") }

    private static func part(_ text: String, longest: Int = 120) -> String {
        let plain = text.unicodeScalars.map { $0.value < 32 || $0.value == 127 || $0 == "/" || $0 == "\\" ? "_" : $0 }
        var part = ""
        for scalar in plain {
            guard part.utf8.count + UTF8.width(scalar) <= longest else { break }
            part.unicodeScalars.append(scalar)
        }
        return part.isEmpty || part.allSatisfy { $0 == "." } ? "_" : part
    }
}
