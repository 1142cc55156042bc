// SPDX-License-Identifier: Apache-2.0
import Agent
import Commands
import FoundationEssentials
import Study
import SystemKit

/// The pictures of a study, put into the card sheet itself by `studyd cards` and `provision`, so that it prints
/// anywhere.
enum CardPictures {
    /// Downloads the pictures: data URIs by address. One that cannot be fetched is missing, so that the
    /// sheet keeps its address, and is named on standard error.
    static func fetch(_ study: StudyProtocol) -> [String: String] {
        var pictures: [String: String] = [:]
        for card in CardIndex(study).cards {
            guard case .media(let media) = card.step.format, media.kind == .image, pictures[media.source] == nil else {
                continue
            }
            do {
                let bytes = try StudyConnection().get(media.source)
                guard let type = PictureType.name(of: bytes) else {
                    throw FileError(path: media.source, message: "is not a picture")
                }
                pictures[media.source] = "data:\(type);base64,\(Data(bytes).base64EncodedString())"
            } catch {
                Output.remark("studyd: card \(card.number): the picture is left as a link: \(error)")
            }
        }
        return pictures
    }
}
