// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The keys that an export is given: files of age, and private keys in PEM.
struct LabKeys {
    private(set) var recordings: [AgeIdentity] = []
    /// For SageResearch's encrypted archives.
    private(set) var archives: [CMSKey] = []
    private static let largest = 1 << 20

    init(files: [String]) throws {
        for file in files {
            let bytes: [UInt8]
            do { bytes = try BoundedFile.read(file, limit: Self.largest) } catch let error as FileError {
                throw error.reading("the key")
            }
            let text = String(decoding: bytes, as: UTF8.self)
            guard text.contains("AGE-SECRET-KEY-") else {
                archives.append(try CMSKey(file: file))
                continue
            }
            do throws(AgeKeyError) { recordings += try AgeIdentity.all(in: text) } catch {
                throw FileError(path: file, message: error.explanation.cause, remedy: error.explanation.remedy)
            }
        }
    }
}
