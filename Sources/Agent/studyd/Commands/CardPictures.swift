// SPDX-License-Identifier: Apache-2.0
import Agent
import Commands
import FoundationEssentials
import Study
import SystemKit

/// The pictures of a study, put into the card sheet itself, so that it prints anywhere.
enum CardPictures {
    /// Data URIs by address. A picture that cannot be fetched keeps its address on the sheet,
    /// and is named here.
    static func fetch(_ study: StudyProtocol) -> [String: String] {
        var pictures: [String: String] = [:]
        for card in CardIndex(study).cards {
            guard case .media(let media) = card.step.format, media.kind == .image, pictures[media.source] == nil else {
                continue
            }
            do {
                let bytes = try StudyFetch.get(media.source)
                guard let type = type(of: bytes) else {
                    throw FileError(path: media.source, message: "is not a picture")
                }
                pictures[media.source] = "data:\(type);base64,\(Data(bytes).base64EncodedString())"
            } catch {
                Output.remark("studyd: card \(card.number): the picture is left as a link: \(error)")
            }
        }
        return pictures
    }

    /// The media type by the first bytes.
    private static func type(of bytes: [UInt8]) -> String? {
        let types: [([UInt8], String)] = [
            ([0x89, 0x50, 0x4E, 0x47], "image/png"), ([0xFF, 0xD8, 0xFF], "image/jpeg"),
            (Array("GIF8".utf8), "image/gif"),
            (Array("RIFF".utf8), "image/webp"), (Array("<svg".utf8), "image/svg+xml"),
        ]
        return types.first { bytes.starts(with: $0.0) }?.1
    }
}
