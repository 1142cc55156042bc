// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent

/// The answers are those of the S3 API Reference's examples (CreateMultipartUpload, ListParts, Error responses).
@Suite struct S3DocumentTests {
    private let listed = S3Document(
        Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <ListPartsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
              <Bucket>example-bucket</Bucket><Key>example-object</Key>
              <UploadId>XXBsb2FkIElEIGZvciBlbHZpbmcncyVcdS1tb3ZpZS5tMnRzEEEwbG9hZA</UploadId>
              <PartNumberMarker>1</PartNumberMarker><NextPartNumberMarker>3</NextPartNumberMarker>
              <MaxParts>2</MaxParts><IsTruncated>true</IsTruncated>
              <Part><PartNumber>2</PartNumber><ETag>"7778aef83f66abc1fa1e8477f296d394"</ETag><Size>10485760</Size></Part>
              <Part><PartNumber>3</PartNumber><ETag>&quot;aaaa18db4cc2f85cedef654fccc4a4x8&quot;</ETag><Size>1</Size></Part>
            </ListPartsResult>
            """.utf8))

    @Test func aListOfPartsIsReadInOrder() {
        let parts = listed.elements("Part").compactMap(S3Part.init)
        #expect(parts.map(\.number) == [2, 3] && parts.map(\.size) == [10_485_760, 1])
        #expect(listed["IsTruncated"] == "true" && listed["NextPartNumberMarker"] == "3")
        #expect(parts[0].isTagged("7778aef83f66abc1fa1e8477f296d394") && !parts[1].isTagged(""))
        #expect(parts[1].text.contains("<ETag>&quot;aaaa18db4cc2f85cedef654fccc4a4x8&quot;</ETag>"))
    }

    @Test(arguments: [
        (
            "<Error><Code>NoSuchKey</Code><Message>The &lt;key&gt; &amp;amp; more</Message></Error>", "NoSuchKey",
            "The <key> &amp; more"
        ),
        ("<Error><Code></Code></Error>", "", nil), ("<Error><Code>cut off", nil, nil), ("", nil, nil),
        ("<Codes>x</Codes><Code a=\"b\">y</Code>", "y", nil),
    ])
    func errorsAreReadEvenFromPieces(_ text: String, _ code: String?, _ message: String?) {
        let document = S3Document(Array(text.utf8))
        #expect(document["Code"] == code && document["Message"] == message)
    }
}
